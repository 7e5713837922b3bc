/** Publishing all that match: first counted by their states, then chosen by them, then done. */
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { ProgressLine } from '../../features/edit/progress-line.tsx';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { CheckField, SwitchField } from '../../parts/field.tsx';
import type { FilterJson } from '../../parts/filter/terms.ts';
import { ErrorNotice } from '../../parts/notice.tsx';
import { printCount, printNumberOf } from '../../parts/number.ts';
import { tell } from '../../parts/toast.tsx';
import { renew } from '../../platform/rpc/rpc.ts';
import { countTaken, type ManyCounts, type ManyOptions, noCounts, publishMany } from './publish-many.ts';
import '../../features/edit/edit.css';

/** What is asked for again when something was published. */
export const renewedByPublishing = [
  'admin.selectSignals',
  'console.publish.status',
  'service.selectItems',
  'console.integrations.list',
  'console.overview',
] as const;

/** The dialog; counting begins at once. */
export function PublishManyDialog({
  integration,
  filter,
  count,
  onClose,
}: {
  integration: string;
  filter: FilterJson;
  count: number;
  onClose(): void;
}) {
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
    tell(`Published: ${printCount(done.created)} created, ${printCount(done.updated)} updated`);
    onClose();
  };
  return (
    <Dialog
      title={`Publish ${printNumberOf(count, 'signal')}`}
      isOpen
      onClose={onClose}
      isWide
      isKept={isPending}
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
      {error && !isPending && <ErrorNotice error={error} retry={() => void run(null)} />}
      <div className="form-actions">
        <Button onPress={isPending ? stop : onClose}>{isPending ? 'Stop' : 'Cancel'}</Button>
        <Button
          tone="primary"
          icon="publish"
          isPending={isPending}
          isDisabled={taken === 0}
          onPress={() => void publish()}
        >
          {counted ? `Publish ${printNumberOf(taken, 'signal')}` : 'Counting …'}
        </Button>
      </div>
    </Dialog>
  );
}

function Choices({
  counts,
  options,
  onChange,
}: {
  counts: ManyCounts;
  options: ManyOptions;
  onChange(options: ManyOptions): void;
}) {
  const set = (part: Partial<ManyOptions>) => onChange({ ...options, ...part });
  return (
    <div className="stack-tight">
      <CheckField
        isSelected={options.takesNew && counts.unpublished > 0}
        isDisabled={counts.unpublished === 0}
        onChange={(takesNew) => set({ takesNew })}
      >
        <b>{printCount(counts.unpublished)}</b> unpublished: each gets a new item
      </CheckField>
      <CheckField
        isSelected={options.takesChanged && counts.changed > 0}
        isDisabled={counts.changed === 0}
        onChange={(takesChanged) => set({ takesChanged })}
      >
        <b>{printCount(counts.changed)}</b> changed since: their items get what the signals say now
      </CheckField>
      <CheckField
        isSelected={options.takesEdited && counts.edited > 0}
        isDisabled={counts.edited === 0}
        onChange={(takesEdited) => set({ takesEdited })}
      >
        <b>{printCount(counts.edited)}</b> with edited items: what was edited is replaced
      </CheckField>
      <p className="quiet">{printNumberOf(counts.inSync, 'signal')} in sync: nothing to do.</p>
      {options.takesNew && counts.unpublished > 0 && (
        <SwitchField isSelected={options.isVisible} onChange={(isVisible) => set({ isVisible })}>
          New items are visible
        </SwitchField>
      )}
    </div>
  );
}

/** Counts when it begins; counts and publishes with options. One at a time, to be stopped between two pages. */
function useRuns(integration: string, filter: FilterJson) {
  const [progress, setProgress] = useState<ManyCounts>(noCounts);
  const [counted, setCounted] = useState<ManyCounts | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const [isPending, setPending] = useState(true);
  const control = useRef<AbortController>(undefined);
  const run = async (options: ManyOptions | null): Promise<ManyCounts | null> => {
    control.current?.abort();
    const mine = new AbortController();
    control.current = mine;
    setProgress(noCounts);
    setError(null);
    setPending(true);
    try {
      const way = { signal: mine.signal, onProgress: setProgress };
      const done = await publishMany(integration, filter, options, way);
      if (options === null) setCounted(done);
      return done;
    } catch (reason) {
      if (!mine.signal.aborted) setError(reason instanceof Error ? reason : new Error(String(reason)));
      return null;
    } finally {
      if (control.current === mine) setPending(false);
    }
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: counted once, when the dialog opens
  useEffect(() => {
    void run(null);
    return () => control.current?.abort();
  }, []);
  return { run, stop: () => control.current?.abort(), progress, counted, error, isPending };
}
