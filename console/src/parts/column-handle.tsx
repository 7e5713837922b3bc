/** The handle at the end of a column's title: pointer and arrow keys resize the column. */
import { setPreferences, usePreferences } from '../platform/theme/preferences.ts';

const widthMin = 48;
const widthMax = 1200;
/** The step of an arrow key, px. */
const stepPx = 16;

/** The handle. A double click resets the width. */
export function ColumnHandle({ table, column, title }: { table: string; column: string; title: string }) {
  const { widths } = usePreferences();
  const known = widths[table]?.[column];
  const save = (width: number | undefined) => {
    const { [column]: _before, ...rest } = widths[table] ?? {};
    const own = width === undefined ? rest : { ...rest, [column]: clamped(width) };
    setPreferences({ widths: { ...widths, [table]: own } });
  };
  if (title === '') return null;
  return (
    // biome-ignore lint/a11y/useSemanticElements: an hr element cannot be moved; this separator is a control
    <div
      className="column-handle"
      role="separator"
      aria-orientation="vertical"
      aria-label={`Width of ${title}`}
      aria-valuenow={known ?? 0}
      aria-valuetext={known === undefined ? 'automatic' : `${known} pixels`}
      aria-valuemin={0}
      aria-valuemax={widthMax}
      tabIndex={0}
      onDoubleClick={() => save(undefined)}
      onPointerDown={(event) => drag(event, save)}
      onKeyDown={(event) => {
        const step = { ArrowLeft: -stepPx, ArrowRight: stepPx }[event.key];
        if (step === undefined) return;
        event.preventDefault();
        event.stopPropagation();
        save((known ?? headOf(event.currentTarget).offsetWidth) + step);
      }}
    />
  );
}

function drag(event: React.PointerEvent<HTMLElement>, save: (width: number) => void): void {
  const handle = event.currentTarget;
  const fromWidth = headOf(handle).offsetWidth;
  const fromX = event.clientX;
  const move = ({ clientX }: PointerEvent) => save(fromWidth + clientX - fromX);
  const end = () => handle.removeEventListener('pointermove', move);
  handle.setPointerCapture(event.pointerId);
  handle.addEventListener('pointermove', move);
  handle.addEventListener('pointerup', end, { once: true });
  handle.addEventListener('pointercancel', end, { once: true });
  event.preventDefault();
}

function headOf(handle: HTMLElement): HTMLElement {
  return handle.closest<HTMLElement>('[role=columnheader]') ?? handle;
}

function clamped(width: number): number {
  return Math.round(Math.min(widthMax, Math.max(widthMin, width)));
}
