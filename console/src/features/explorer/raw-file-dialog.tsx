/** Saves every point of a window that is chosen here, with progress and a way to stop it. */
import { download } from '../../parts/code-block.tsx';
import { FormDialog } from '../../parts/form.tsx';
import { printCount } from '../../parts/number.ts';
import { useTask } from '../../parts/task.ts';
import { printCivil } from '../../platform/time/civil.ts';
import { nowMs } from '../../platform/time/clock.ts';
import { fileName } from './file.ts';
import type { Item } from './item.ts';
import { loadFrame } from './load-frame.ts';
import { type Range, resolveRange, type Span } from './range.ts';
import { EndFields, useRangeEnds } from './range-ends.tsx';
import { type RawProgress, rawCsv } from './raw-file.ts';

interface RawFileDialogProps {
  items: readonly Item[];
  /** What is offered at first. */
  span: Span;
  zone: string;
  firstDay: number;
  title: string;
  onClose(): void;
}

/** The dialog. */
export function RawFileDialog({ items, span, zone, firstDay, title, onClose }: RawFileDialogProps) {
  const ends = useRangeEnds(null, span, zone);
  const { run, progress, error, isPending } = useTask<RawProgress>();
  const save = async (range: Range) => {
    const chosen = resolveRange(range, nowMs(), { zone, firstDay });
    const pieces = await run((signal, onProgress) =>
      rawCsv(items, chosen, zone, { load: (request) => loadFrame(request, signal), onProgress }),
    );
    if (pieces === null) return;
    const day = printCivil(zone, chosen.fromMs).slice(0, 10);
    download(fileName(`${title} ${day} every point`, 'csv'), new Blob(pieces), 'text/csv');
    onClose();
  };
  return (
    <FormDialog
      title="Every point as CSV"
      action="Save"
      onSubmit={() => ends.range && void save(ends.range)}
      onClose={onClose}
      isDisabled={!ends.range}
      sending={{ isPending, error }}
      isKept={isPending}
    >
      <EndFields ends={ends} />
      <p role="status" className="quiet">
        {isPending
          ? `${Math.round((progress?.share ?? 0) * 100)} %, ${printCount(progress?.rows ?? 0)} rows`
          : 'The range can be of any length. The file is made in this browser.'}
      </p>
    </FormDialog>
  );
}
