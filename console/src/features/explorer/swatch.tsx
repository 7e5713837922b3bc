/** Small pictures of how an item and a state look in the chart. */
import type { StateStyle } from './chart-model.ts';
import type { PlottedItem } from './plot.ts';

/** A piece of the line of an item; a piece of a band for one with states. */
export function Swatch({
  plotted: { item, style, isVisible },
}: {
  plotted: Pick<PlottedItem, 'item' | 'style' | 'isVisible'>;
}) {
  if (item.isEnum) return <span className="swatch lane" aria-hidden="true" />;
  return (
    <svg
      className="swatch"
      width="22"
      height="10"
      aria-hidden="true"
      style={{ color: `var(${style.color})` }}
    >
      <line
        x1="0"
        x2="22"
        y1="5"
        y2="5"
        stroke="currentColor"
        strokeWidth={isVisible ? 3 : 1}
        strokeDasharray={style.dash.join(' ')}
      />
    </svg>
  );
}

/** A small square with the colour and the pattern of a state. */
export function StateMark({ style }: { style: StateStyle }) {
  return (
    <span
      className={`state-mark pattern-${style.pattern}`}
      style={{ color: `var(${style.color})` }}
      aria-hidden="true"
    />
  );
}
