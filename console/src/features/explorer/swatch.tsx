/** Small pictures of how an item and a state look in the chart. */
import type { LineStyle, StateStyle } from './chart-model.ts';
import './swatch.css';

interface SwatchProps {
  item?: { isEnum: boolean };
  style: LineStyle;
  isVisible?: boolean;
}

/** A piece of the line; a piece of a band for an item with states. */
export function Swatch({ item, style: { color, dash }, isVisible = true }: SwatchProps) {
  if (item?.isEnum) return <span className="swatch lane" aria-hidden="true" />;
  return (
    <svg className="swatch" width="22" height="10" aria-hidden="true" style={{ color: `var(${color})` }}>
      <line
        x1="0"
        x2="22"
        y1="5"
        y2="5"
        stroke="currentColor"
        strokeWidth={isVisible ? 3 : 1}
        strokeDasharray={dash.join(' ')}
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
