/** A bar chart of days, with a table for screen readers. */

import { printNumberOf, printShort } from './number.ts';
import { PlainTable } from './plain-table.tsx';

interface Bar {
  label: string;
  /** The full name, if the label is too short. */
  name?: string;
  value: number;
}

/** The height of the tallest bar, px; leaves space for the number above it. */
const tallest = 126;

/** With more bars than this, only some have a label and none its value. */
const wideMax = 14;

/** A row of bars, the values above them; with a hidden table for screen readers. `unit` is in the singular. */
export function Bars({ bars, label, unit }: { bars: readonly Bar[]; label: string; unit: string }) {
  const step = Math.ceil(bars.length / wideMax);
  const most = Math.max(1, ...bars.map(({ value }) => value));
  return (
    <figure>
      <div className="bars" aria-hidden="true">
        {bars.map(({ label, name = label, value }, i) => (
          <div key={name} className="bar" title={`${name}: ${printNumberOf(value, unit)}`}>
            <div className="bar-area">
              {step === 1 && <span>{printShort(value)}</span>}
              {value > 0 && <div className="bar-fill" style={{ height: (value / most) * tallest }} />}
            </div>
            <div className="cut">{(bars.length - 1 - i) % step === 0 ? label : ''}</div>
          </div>
        ))}
      </div>
      <PlainTable className="hidden-text" caption={label} heads={['Day', 'Value']}>
        {bars.map(({ label, name = label, value }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{printNumberOf(value, unit)}</td>
          </tr>
        ))}
      </PlainTable>
    </figure>
  );
}
