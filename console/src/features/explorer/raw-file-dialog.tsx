/** Saves every point of a window that is chosen here, with progress and a way to stop it. */
import { useEffect, useRef, useState } from 'react';
import { download } from '../../parts/code-block.tsx';
import { FormDialog } from '../../parts/form.tsx';
import { printCount } from '../../parts/number.ts';
import { printCivil } from '../../platform/time/civil.ts';
import { nowMs } from '../../platform/time/clock.ts';
import { fileName } from './file.ts';
import type { Item } from './item.ts';
import { loadFrame } from './load-frame.ts';
import { resolveRange, type Span } from './range.ts';
import { EndFields, useRangeEnds } from './range-ends.tsx';
import { type RawProgress, rawCsv } from './raw-file.ts';

/** What {@link RawFileDialog} takes. */
export interface RawFileDialogProps {
  items: readonly Item[];
  /** What is offered at first. */
  span: Span;
  zone: string;
  firstDay: number;
  /** Names the file. */
  title: string;
  onClose(): void;
}

/** The dialog. */
export function RawFileDialog(props: RawFileDialogProps) {
  const { span, zone, firstDay, onClose } = props;
  const ends = useRangeEnds(null, span, zone);
  const saving = useSaving(props);
  const save = () => ends.range && saving.run(resolveRange(ends.range, nowMs(), { zone, firstDay }));
  return (
    <FormDialog
      title="Every point as CSV"
      action="Save"
      onSubmit={save}
      onClose={onClose}
      isDisabled={!ends.range}
      sending={{ isPending: saving.isRunning, error: saving.error }}
      isKept={saving.isRunning}
    >
      <EndFields ends={ends} />
      <p role="status" className="quiet">
        {saving.progress
          ? `${Math.round(saving.progress.share * 100)} %, ${printCount(saving.progress.rows)} rows`
          : 'The range can be of any length. The file is made in this browser.'}
      </p>
    </FormDialog>
  );
}

/** Reads the points and saves them; ends when the dialog does. */
function useSaving({ items, zone, title, onClose }: RawFileDialogProps) {
  const [progress, setProgress] = useState<RawProgress | null>(null);
  const [error, setError] = useState<unknown>(null);
  const ending = useRef<AbortController | null>(null);
  useEffect(() => () => ending.current?.abort(), []);
  const run = async (span: Span) => {
    ending.current = new AbortController();
    const { signal } = ending.current;
    setError(null);
    setProgress({ rows: 0, share: 0 });
    try {
      const pieces = await rawCsv(items, span, zone, {
        load: (request) => loadFrame(request, signal),
        onProgress: setProgress,
      });
      const day = printCivil(zone, span.fromMs).slice(0, 10);
      download(fileName(`${title} ${day} every point`, 'csv'), new Blob(pieces), 'text/csv');
      onClose();
    } catch (problem) {
      if (!signal.aborted) setError(problem);
    }
    setProgress(null);
  };
  return { run: (span: Span) => void run(span), progress, error, isRunning: progress !== null };
}
