/** A line chart the size of a word. It only illustrates the numbers next to it, so it has no text alternative. */

const width = 96;
const height = 22;

/** Values at even distances; null interrupts the line. */
export function Sparkline({ values }: { values: readonly (number | null)[] }) {
  const known = values.filter((value) => value !== null);
  if (known.length < 2) return <span className="quiet">–</span>;
  return (
    <svg className="sparkline" width={width} height={height} aria-hidden="true">
      <path d={pathOf(values)} />
    </svg>
  );
}

/** The path of a line that fills the height; a constant line is in the middle. */
export function pathOf(values: readonly (number | null)[]): string {
  const known = values.filter((value) => value !== null);
  const [min, max] = [Math.min(...known), Math.max(...known)];
  const span = max - min;
  const step = width / Math.max(1, values.length - 1);
  let isDown = false;
  return values
    .map((value, i) => {
      if (value === null) {
        isDown = false;
        return '';
      }
      const y = span === 0 ? height / 2 : height - 2 - ((value - min) / span) * (height - 4);
      const command = isDown ? 'L' : 'M';
      isDown = true;
      return `${command}${(i * step).toFixed(1)} ${y.toFixed(1)}`;
    })
    .join('');
}
