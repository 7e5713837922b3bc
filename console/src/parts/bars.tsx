/** Bars for a few days: small, exact by their labels, readable without seeing them. */
import { printCount, printShort } from './number.ts';

/** One bar. */
export interface Bar {
  /** Stands below it. */
  label: string;
  value: number;
}

const width = 700;
const height = 150;

/** A row of bars, the values above them; behind it a table for those who do not see it. */
export function Bars({ bars, label, unit }: { bars: readonly Bar[]; label: string; unit: string }) {
  const most = Math.max(1, ...bars.map(({ value }) => value));
  const step = width / Math.max(1, bars.length);
  return (
    <figure>
      <svg className="bars" viewBox={`0 0 ${width} ${height + 44}`} aria-hidden="true">
        {bars.map(({ label: name, value }, i) => {
          const size = value === 0 ? 0 : Math.max(2, (value / most) * height);
          const middle = (i + 0.5) * step;
          return (
            <g key={name}>
              <rect
                className="bar"
                x={i * step + step * 0.16}
                y={20 + height - size}
                width={step * 0.68}
                height={size}
                rx={Math.min(4, size / 2)}
              />
              <line
                className="bar-base"
                x1={i * step}
                x2={(i + 1) * step}
                y1={20.5 + height}
                y2={20.5 + height}
              />
              <text className="bar-value" x={middle} y={20 + height - size - 6} textAnchor="middle">
                {printShort(value)}
              </text>
              <text className="bar-label" x={middle} y={height + 40} textAnchor="middle">
                {name}
              </text>
            </g>
          );
        })}
      </svg>
      <table className="hidden-text">
        <caption>{label}</caption>
        <tbody>
          {bars.map(({ label: name, value }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>
                {printCount(value)} {unit}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  );
}
