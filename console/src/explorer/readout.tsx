/** The readout: what every item is at the cursor, and over the window; it is the legend too. */

import { copyAndTell } from '../parts/copy.tsx';
import { Menu } from '../parts/menu.tsx';
import { href } from '../router/place.ts';
import type { StateStyle } from './chart-model.ts';
import { printSpanLength } from './moments.ts';
import { type Loaded, type PlottedItem, stateStyler, summarize, summarizeStates } from './plot.ts';
import { stateAt } from './state-band.ts';
import { printNumber } from './ticks.ts';

/** What {@link Readout} takes. */
export interface ReadoutProps {
  plotted: readonly PlottedItem[];
  loaded: Loaded | null;
  cursor: number | null;
  /** The head of the column of values: the time at the cursor, or `Last`. */
  moment: string;
  onToggle(id: string): void;
  onIsolate(id: string): void;
  onRemove(id: string): void;
}

/** A table with a row for each item. */
export function Readout({ plotted, loaded, cursor, moment, ...acts }: ReadoutProps) {
  // Without the least and greatest of each bucket, these are of what is drawn: the values of the buckets.
  const isOfBuckets =
    loaded !== null && loaded.rollup !== null && !(loaded.hasBand && loaded.statistic === 'avg');
  return (
    <div className="readout-scroll">
      <table className="readout">
        <caption className="hidden-text">Items of the chart, with their values</caption>
        <thead>
          <tr>
            <th scope="col">Item</th>
            <th scope="col" className="number">
              {moment}
            </th>
            <th scope="col" className="number wide-only">
              {isOfBuckets ? 'Least bucket' : 'Least'}
            </th>
            <th scope="col" className="number wide-only">
              Mean
            </th>
            <th scope="col" className="number wide-only">
              {isOfBuckets ? 'Greatest bucket' : 'Greatest'}
            </th>
            <th scope="col" className="number wide-only">
              Points
            </th>
            <th scope="col">
              <span className="hidden-text">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {plotted.map((each) => (
            <ReadoutRow key={each.item.id} {...each} loaded={loaded} cursor={cursor} acts={acts} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

type Acts = Pick<ReadoutProps, 'onToggle' | 'onIsolate' | 'onRemove'>;

function ReadoutRow(props: PlottedItem & { loaded: Loaded | null; cursor: number | null; acts: Acts }) {
  const { item, isVisible, acts } = props;
  return (
    <tr className={isVisible ? '' : 'off'}>
      <th scope="row">
        <button
          type="button"
          className="legend-button"
          aria-pressed={isVisible}
          title={isVisible ? 'Hide' : 'Show'}
          onClick={() => acts.onToggle(item.id)}
        >
          <Swatch plotted={props} />
          <span className="break">{item.name}</span>
        </button>
      </th>
      {item.isEnum ? <StateCells {...props} /> : <NumberCells {...props} />}
      <td className="number">
        <Menu
          label={`Actions for ${item.name}`}
          isTiny
          entries={[
            { text: 'Show only this', icon: 'eye', run: () => acts.onIsolate(item.id) },
            { text: 'Copy ID', icon: 'copy', run: () => void copyAndTell(item.id, 'ID') },
            { text: 'Go to the item', icon: 'box', to: href(`/items/${item.id}`) },
            null,
            { text: 'Remove from the chart', icon: 'close', run: () => acts.onRemove(item.id) },
          ]}
        />
      </td>
    </tr>
  );
}

function NumberCells({
  item,
  column,
  line,
  loaded,
  cursor,
}: PlottedItem & { loaded: Loaded | null; cursor: number | null }) {
  if (!loaded) return <td colSpan={5} />;
  const summary = summarize(item, loaded);
  const value = cursor === null ? summary.last : (column[cursor] ?? null);
  const low = cursor === null ? undefined : line?.band?.low[cursor];
  const high = cursor === null ? undefined : line?.band?.high[cursor];
  return (
    <>
      <td className="number value">
        {value === null ? <span className="quiet">no value</span> : <Amount value={value} unit={item.unit} />}
        {low !== undefined && high !== undefined && (
          <span className="quiet small band-note">
            {' '}
            {printNumber(low)} to {printNumber(high)}
          </span>
        )}
      </td>
      <td className="number wide-only">{summary.min === null ? '' : printNumber(summary.min)}</td>
      <td className="number wide-only">{summary.mean === null ? '' : printNumber(summary.mean, 5)}</td>
      <td className="number wide-only">{summary.max === null ? '' : printNumber(summary.max)}</td>
      <td className="number wide-only">{summary.points}</td>
    </>
  );
}

/** A number with its unit. */
export function Amount({ value, unit }: { value: number; unit: string }) {
  return (
    <>
      {printNumber(value)}
      {unit !== '' && <span className="unit"> {unit}</span>}
    </>
  );
}

function StateCells({
  item,
  band,
  loaded,
  cursor,
}: PlottedItem & { loaded: Loaded | null; cursor: number | null }) {
  if (!loaded || !band) return <td colSpan={5} />;
  const style = stateStyler(item);
  const atMs = cursor === null ? (band.at(-1)?.toMs ?? 0) - 1 : loaded.rows.timesMs[cursor]!;
  const state = stateAt(band, atMs);
  return (
    <>
      <td className="number value">
        {state === null ? <span className="quiet">no state</span> : style(state).text}
      </td>
      <td colSpan={4} className="wide-only">
        <ul className="state-shares" aria-label={`States of ${item.name}`}>
          {summarizeStates(item, band).map(({ state, text, seconds, share }) => (
            <li key={state} title={printSpanLength(seconds * 1000)}>
              <StateMark style={style(state)} />
              {text} <span className="quiet">{printShare(share)}</span>
            </li>
          ))}
        </ul>
      </td>
    </>
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

function Swatch({ plotted: { item, style, isVisible } }: { plotted: PlottedItem }) {
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

function printShare(share: number): string {
  const percent = share * 100;
  return percent > 0 && percent < 0.1 ? 'below 0.1 %' : `${percent.toFixed(1)} %`;
}
