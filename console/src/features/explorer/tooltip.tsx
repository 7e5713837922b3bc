/** The values at the cursor, next to it: for as many items as fit into the chart. */
import { printCivil } from '../../platform/time/civil.ts';
import { type Loaded, type PlottedItem, stateStyler } from './plot.ts';
import { type Moment, readingAt } from './reading.ts';
import type { StateSpan } from './state-band.ts';
import { StateMark, Swatch } from './swatch.tsx';
import { printSpanLength } from './timestamps.ts';

/** Height of a line, and of what is above the first, CSS pixels. */
const lineHeight = 18;
const headHeight = 44;

/** The tooltip; the chart puts it next to the instant in `data-tip`. */
export function Tooltip({
  moment,
  plotted,
  loaded,
  zone,
  height,
}: {
  moment: Moment;
  plotted: readonly PlottedItem[];
  loaded: Loaded;
  zone: string;
  /** Of the chart, CSS pixels. */
  height: number;
}) {
  const shown = plotted.filter(({ isVisible }) => isVisible);
  const room = Math.max(1, Math.floor((height - headHeight) / lineHeight));
  const listed = shown.length <= room ? shown : shown.slice(0, room - 1);
  const atMs = loaded.rollup === null ? moment.atMs : loaded.rows.timesMs[moment.row]!;
  return (
    <div className="chart-tip" data-tip={moment.atMs} aria-hidden="true">
      <p className="figures">{printCivil(zone, atMs)}</p>
      <ul>
        {listed.map((each) => (
          <TooltipLine key={each.item.id} plotted={each} loaded={loaded} moment={moment} />
        ))}
        {listed.length < shown.length && (
          <li className="quiet">and {shown.length - listed.length} more below</li>
        )}
      </ul>
    </div>
  );
}

function TooltipLine({ plotted, loaded, moment }: { plotted: PlottedItem; loaded: Loaded; moment: Moment }) {
  const { text, held } = readingAt(plotted, loaded, moment);
  return (
    <li>
      {held ? <StateMark style={stateStyler(plotted.item)(held.state)} /> : <Swatch plotted={plotted} />}
      <span className="cut grow">{plotted.item.name}</span>
      <b className="figures">{text}</b>
      {held && <span className="quiet">{sayLength(held)}</span>}
    </li>
  );
}

/** `for 2 h`, or the share of a bucket: `for 10 min of 15 min`. */
function sayLength({ fromMs, toMs, low, high }: StateSpan): string {
  const share = high - low;
  const length = printSpanLength((toMs - fromMs) * share);
  return share < 0.999 ? `for ${length} of ${printSpanLength(toMs - fromMs)}` : `for ${length}`;
}
