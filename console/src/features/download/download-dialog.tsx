/** Chooses what is downloaded of items or signals: the window, raw or rolled up, the zone, and the form of the file. */
import { useState } from 'react';
import { boundTo } from '../../parts/bound.ts';
import { CheckField, optionsOf, SelectField, TextField } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form.tsx';
import { useTask } from '../../parts/task.ts';
import { notify, notifyError } from '../../parts/toast.tsx';
import { downloadExport } from '../../platform/rpc/download.ts';
import { nowMs } from '../../platform/time/clock.ts';
import {
  type Choices,
  endProblem,
  formNames,
  kindNames,
  parametersOf,
  rollupNames,
  type Subject,
  statisticNames,
} from './choices.ts';

interface DownloadDialogProps {
  subject: Subject;
  /** How many are exported. */
  count: number;
  /** What is offered at first; empty: all points. */
  from: string;
  to: string;
  zone: string;
  /** 1 Monday … 7 Sunday. */
  firstDay: number;
  onClose(): void;
}

/** The dialog. */
export function DownloadDialog({ subject, count, from, to, zone, firstDay, onClose }: DownloadDialogProps) {
  const [choices, set] = useState<Choices>({
    ...{ kind: 'csv', form: count === 1 ? 'long' : 'wide', from, to },
    ...{ rollup: '', statistics: '', zone, isCompressed: false },
  });
  const change = (part: Partial<Choices>) => set({ ...choices, ...part });
  const problems = [choices.from, choices.to].map((text) => endProblem(text, choices.zone));
  const { run, stop, error, isPending } = useTask();
  const save = async () => {
    const parameters = parametersOf(subject, choices, { nowMs: nowMs(), firstDay });
    const done = await run((signal) =>
      downloadExport(parameters, { signal, onFailure: notifyError }).then(() => true),
    );
    if (done === null) return;
    notify('The browser saves the file while it arrives');
    onClose();
  };
  return (
    <FormDialog
      title="Download"
      action="Download"
      onSubmit={() => void save()}
      onClose={onClose}
      onStop={stop}
      isDisabled={problems.some((problem) => problem !== undefined)}
      sending={{ isPending, error }}
    >
      <Window choices={choices} problems={problems} change={change} />
      <Buckets choices={choices} zones={[...new Set([zone, 'UTC'])]} change={change} />
      <FileForm choices={choices} change={change} />
    </FormDialog>
  );
}

interface PartProps {
  choices: Choices;
  change(part: Partial<Choices>): void;
}

function Window({ choices, problems, change }: PartProps & { problems: readonly (string | undefined)[] }) {
  const of = boundTo(choices, change);
  return (
    <>
      <TextField label="From" {...of('from')} placeholder="the first point" isCode error={problems[0]} />
      <TextField label="To" {...of('to')} placeholder="the last point" isCode error={problems[1]} />
    </>
  );
}

function Buckets({ choices, zones, change }: PartProps & { zones: readonly string[] }) {
  const of = boundTo(choices, change);
  const zoneOptions = zones.map((name) => ({ value: name, text: name }));
  return (
    <>
      <SelectField label="Values" {...of('rollup')} options={optionsOf(rollupNames)} />
      {choices.rollup !== '' && (
        <SelectField label="Of each" {...of('statistics')} options={optionsOf(statisticNames)} />
      )}
      <SelectField label="Times in" {...of('zone')} options={zoneOptions} />
    </>
  );
}

function FileForm({ choices, change }: PartProps) {
  const of = boundTo(choices, change);
  return (
    <>
      <SelectField label="File" {...of('kind')} options={optionsOf(kindNames)} />
      <SelectField label="Layout" {...of('form')} options={optionsOf(formNames)} />
      {choices.kind !== 'parquet' && (
        <CheckField isSelected={choices.isCompressed} onChange={(isCompressed) => change({ isCompressed })}>
          Compressed (gzip)
        </CheckField>
      )}
    </>
  );
}
