/** Bars for a few days: small, exact by their labels, readable without seeing them. */
import { printCount, printShort } from './number.ts';

/** One bar. */
export interface Bar {
  /** Stands below it, short. */
  label: string;
  /** Its whole name, where the label is not enough. */
  name?: string;
  value: number;
}

/** The tallest bar, px; room for the number above it remains. */
const tallest = 126;

/** A row of bars, the values above them; behind it a table for those who do not see it. */
export function Bars({ bars, label, unit }: { bars: readonly Bar[]; label: string; unit: string }) {
  const most = Math.max(1, ...bars.map(({ value }) => value));
  return (
    <figure>
      <div className="bars" aria-hidden="true">
        {bars.map(({ label, name = label, value }) => (
          <div key={name} className="bar" title={`${name}: ${printCount(value)} ${unit}`}>
            <div className="bar-room">
              <span>{printShort(value)}</span>
              {value > 0 && <div className="bar-fill" style={{ height: (value / most) * tallest }} />}
            </div>
            <div className="cut">{label}</div>
          </div>
        ))}
      </div>
      <table className="hidden-text">
        <caption>{label}</caption>
        <tbody>
          {bars.map(({ label, name = label, value }) => (
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
