/** The values at the cursor, next to it: for as many items as fit into the chart. */
import { printCivil } from '../../platform/time/civil.ts';
import { type Plot, type PlottedItem, stateStyler } from './plot.ts';
import { type Cursor, type Reading, readingAt } from './reading.ts';
import { StateMark, Swatch } from './swatch.tsx';
import { sayHoldLength } from './timestamps.ts';
import './chart-view.css';

interface TooltipProps {
  cursor: Cursor;
  plot: Plot;
  height: number;
}

/** Height of a line, and of what is above the first, CSS pixels. */
const lineHeight = 18;
const headHeight = 44;

/** The tooltip, in a chart of `height` CSS pixels; the chart puts it next to the instant in `data-tip`. */
export function Tooltip({ cursor, plot: { plotted, loaded, zone }, height }: TooltipProps) {
  const shown = plotted.filter(({ isVisible }) => isVisible);
  const linesMax = Math.max(1, Math.floor((height - headHeight) / lineHeight));
  const listed = shown.length <= linesMax ? shown : shown.slice(0, linesMax - 1);
  const atMs = loaded.rollup === null ? cursor.atMs : loaded.rows.timesMs[cursor.row]!;
  return (
    <div className="chart-tip" data-tip={cursor.atMs} aria-hidden="true">
      <p className="figures">{printCivil(zone, atMs)}</p>
      <ul>
        {listed.map((each) => (
          <TooltipLine key={each.item.id} plotted={each} reading={readingAt(each, loaded, cursor)} />
        ))}
        {listed.length < shown.length && (
          <li className="quiet">and {shown.length - listed.length} more below</li>
        )}
      </ul>
    </div>
  );
}

function TooltipLine({ plotted, reading: { text, held } }: { plotted: PlottedItem; reading: Reading }) {
  return (
    <li>
      {held ? <StateMark style={stateStyler(plotted.item)(held.state)} /> : <Swatch {...plotted} />}
      <span className="cut grow">{plotted.item.name}</span>
      <b className="figures">{text}</b>
      {held && <span className="quiet">{sayHoldLength(held)}</span>}
    </li>
  );
}
