/** Publishes all signals that match, after counting them by state. */
import { useQueryClient } from '@tanstack/react-query';
import { useLayoutEffect, useState } from 'react';
import { ProgressLine } from '../../features/edit/progress-line.tsx';
import { CheckField, SwitchField } from '../../parts/field.tsx';
import type { FilterJson } from '../../parts/filter/terms.ts';
import { FormDialog } from '../../parts/form.tsx';
import { ErrorNotice } from '../../parts/notice.tsx';
import { printCount, printNumberOf } from '../../parts/number.ts';
import { useTask } from '../../parts/task.ts';
import { notify } from '../../parts/toast.tsx';
import { renew } from '../../platform/rpc/rpc.ts';
import { countTaken, type ManyCounts, type ManyOptions, noCounts } from './counts.ts';
import { publishMany } from './publish-many.ts';
import '../../features/edit/edit.css';

/** The answers that publishing renews. */
export const renewedByPublishing = [
  'admin.selectSignals',
  'console.publish.status',
  'service.selectItems',
  'console.integrations.list',
  'console.overview',
] as const;

/** What {@link PublishManyDialog} takes. */
export interface PublishManyDialogProps {
  integration: string;
  filter: FilterJson;
  count: number;
  onClose(): void;
}

/** The dialog; counting starts immediately. */
export function PublishManyDialog({ integration, filter, count, onClose }: PublishManyDialogProps) {
  const [options, setOptions] = useState<ManyOptions>({
    takesNew: true,
    takesChanged: true,
    takesEdited: false,
    isVisible: true,
  });
  const { run, stop, progress, counted, error, isPending } = useRuns(integration, filter);
  const queries = useQueryClient();
  const taken = counted ? countTaken(counted, options) : 0;
  const publish = async () => {
    const done = await run(options);
    void renew(queries, renewedByPublishing);
    if (done === null) return;
    notify(`Published: ${printCount(done.created)} created, ${printCount(done.updated)} updated`);
    onClose();
  };
  return (
    <FormDialog
      title={`Publish ${printNumberOf(count, 'signal')}`}
      action={counted ? `Publish ${printNumberOf(taken, 'signal')}` : 'Counting …'}
      sending={{ isPending, error: null }}
      isDisabled={taken === 0}
      isWide
      isKept={isPending}
      onSubmit={() => void publish()}
      onStop={stop}
      onClose={onClose}
    >
      {isPending && (
        <ProgressLine
          seen={progress.seen}
          total={progress.total ?? count}
          noun="signal"
          done={`${printCount(progress.created + progress.updated)} published`}
        />
      )}
      {counted && !isPending && <Choices counts={counted} options={options} onChange={setOptions} />}
      {error != null && <ErrorNotice error={error} retry={() => void run(null)} />}
    </FormDialog>
  );
}

const kinds = [
  ['takesNew', 'unpublished', 'unpublished: an item is created for each'],
  ['takesChanged', 'changed', 'changed since: their items are updated from the signals'],
  ['takesEdited', 'edited', 'with edited items: the edits are overwritten'],
] as const;

interface ChoicesProps {
  counts: ManyCounts;
  options: ManyOptions;
  onChange(options: ManyOptions): void;
}

function Choices({ counts, options, onChange }: ChoicesProps) {
  return (
    <div className="stack-tight">
      {kinds.map(([option, kind, words]) => (
        <CheckField
          key={kind}
          isSelected={options[option] && counts[kind] > 0}
          isDisabled={counts[kind] === 0}
          onChange={(isOn) => onChange({ ...options, [option]: isOn })}
        >
          <b>{printCount(counts[kind])}</b> {words}
        </CheckField>
      ))}
      <p className="quiet">{printNumberOf(counts.inSync, 'signal')} in sync: nothing to do.</p>
      {options.takesNew && counts.unpublished > 0 && (
        <SwitchField
          isSelected={options.isVisible}
          onChange={(isVisible) => onChange({ ...options, isVisible })}
        >
          New items are visible
        </SwitchField>
      )}
    </div>
  );
}

/** Counts on start; `run` publishes, or counts again without options. */
function useRuns(integration: string, filter: FilterJson) {
  const { run: start, progress, ...task } = useTask<ManyCounts>();
  const [counted, setCounted] = useState<ManyCounts | null>(null);
  const run = async (options: ManyOptions | null): Promise<ManyCounts | null> => {
    const done = await start((signal, onProgress) =>
      publishMany(integration, filter, options, { signal, onProgress }),
    );
    if (done && options === null) setCounted(done);
    return done;
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: counted once, when the dialog opens
  useLayoutEffect(() => void run(null), []);
  return { ...task, run, counted, progress: progress ?? noCounts };
}
