/** Editing many signals or items at once: the steps, then what would change, then done, page by page. */
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { FormDialog } from '../../parts/form.tsx';
import { Notice } from '../../parts/notice.tsx';
import { printCount, printNumberOf } from '../../parts/number.ts';
import { useTask } from '../../parts/task.ts';
import { notify, notifyUndo } from '../../parts/toast.tsx';
import { renew } from '../../platform/rpc/rpc.ts';
import { fieldError } from '../../platform/rpc/rpc-error.ts';
import type { Change } from './change.ts';
import { ChangeList } from './change-list.tsx';
import { ReplacedNote } from './edit-dialog.tsx';
import { ProgressLine } from './progress-line.tsx';
import { StepFields } from './step-fields.tsx';
import { changeOfSteps, isComplete, newStep, type Step, type StepAction, stepActions } from './steps.ts';
import {
  type EditTarget,
  editMany,
  type ManyEdited,
  noneEdited,
  renewedByEdit,
  type Scope,
} from './target.ts';
import { useTakeBack } from './use-edit.ts';
import './edit.css';

interface Props {
  target: EditTarget;
  scope: Scope;
  count: number;
  onClose(): void;
}

/** The number of changes that are shown before an edit, and that can be undone after it. */
const shownMax = 100;
const undoMax = 2000;

/** The dialog. */
export function BulkEditDialog({ target, scope, count, onClose }: Props) {
  const noun = target.kind === 'signals' ? 'signal' : 'item';
  const [steps, setSteps] = useState<Step[]>([newStep(1, 'labels.set')]);
  const { run, stop, progress, tried, error, isPending, reset } = useRuns(target, scope);
  const change = changeOfSteps(steps);
  const areComplete = steps.every(isComplete);
  const edit = (next: Step[]) => {
    setSteps(next);
    reset();
  };
  const save = useSave(target, run, onClose);
  const toChange = tried?.changed ?? 0;
  const paths = steps.map((step) => `change.${pathOf(step)}`);
  return (
    <FormDialog
      title={`Edit ${printNumberOf(count, noun)}`}
      action={toChange > 0 ? `Change ${printNumberOf(toChange, noun)}` : 'Show what changes'}
      onSubmit={() => void (tried && toChange > 0 ? save(change, tried) : run(change, true))}
      onStop={stop}
      onClose={onClose}
      isDisabled={!areComplete}
      sending={{ isPending, error }}
      shown={paths}
      isWide
      isKept={isPending}
    >
      {target.kind === 'signals' && <ReplacedNote />}
      <StepFields
        actions={actionsOf(target)}
        steps={steps}
        onChange={edit}
        errorOf={(step) => fieldError(error, `change.${pathOf(step)}`)}
      />
      {isPending && (
        <ProgressLine
          seen={progress?.seen ?? 0}
          total={progress?.total ?? count}
          noun={noun}
          done={`${printCount(progress?.changed ?? 0)} to change`}
        />
      )}
      {tried && !isPending && <Tried tried={tried} noun={noun} />}
    </FormDialog>
  );
}

function actionsOf({ kind }: EditTarget): StepAction[] {
  const all = Object.keys(stepActions) as StepAction[];
  return kind === 'items' ? all : all.filter((action) => action !== 'visible');
}

function pathOf({ action, key }: Step): string {
  return action.includes('.') ? `${action.split('.')[0]}.${key.trim()}` : action;
}

/** Tries and edits, page by page. What was edited before a failure or a stop is the result too. */
function useRuns(target: EditTarget, scope: Scope) {
  const { run: start, ...task } = useTask<ManyEdited>();
  const [tried, setTried] = useState<ManyEdited | null>(null);
  const run = async (change: Change, isDryRun: boolean): Promise<ManyEdited | null> => {
    let seen = noneEdited;
    const keptMax = isDryRun ? shownMax : undoMax;
    const done = await start((signal, report) => {
      const onProgress = (next: ManyEdited) => {
        seen = next;
        report(next);
      };
      return editMany(target, scope, change, { isDryRun, keptMax, signal, onProgress });
    });
    if (isDryRun) setTried(done);
    return done ?? (seen.changed > 0 && !isDryRun ? seen : null);
  };
  const reset = () => {
    setTried(null);
    task.forgetError();
  };
  return { ...task, run, tried, reset };
}

/** Edits, and reports the result, with a button that undoes it unless there are too many changes. */
function useSave(
  target: EditTarget,
  run: (change: Change, isDryRun: boolean) => Promise<ManyEdited | null>,
  onClose: () => void,
) {
  const queries = useQueryClient();
  const takeBack = useTakeBack(target);
  const noun = target.kind === 'signals' ? 'signal' : 'item';
  return async (change: Change, tried: ManyEdited) => {
    const done = await run(change, false);
    void renew(queries, renewedByEdit);
    if (done === null) return;
    const words = `${printNumberOf(done.changed, noun)} changed`;
    const isWhole = done.seen >= tried.seen;
    if (done.edited.length === done.changed && done.changed > 0)
      notifyUndo(isWhole ? words : `Stopped: ${words}`, () => void takeBack(done.edited));
    else notify(isWhole ? words : `Stopped: ${words}`);
    if (isWhole) onClose();
  };
}

function Tried({ tried: { seen, changed, edited }, noun }: { tried: ManyEdited; noun: string }) {
  if (changed === 0)
    return <Notice>Nothing would change: all {printNumberOf(seen, noun)} already have these values.</Notice>;
  return (
    <div className="stack-tight">
      <p role="status">
        <b>{printNumberOf(changed, noun)}</b> would change
        {seen > changed && `, ${printCount(seen - changed)} already have these values`}.
        {changed > edited.length && ` The first ${printCount(edited.length)}:`}
      </p>
      <ChangeList edited={edited} />
      {changed > undoMax && (
        <p className="quiet small">
          More than {printCount(undoMax)} changes cannot be undone with one button.
        </p>
      )}
    </div>
  );
}
