/** The readout: the value of each item at the cursor, and its summary over the window; it is the legend too. */
import { memo, useMemo, useRef } from 'react';
import { copyAndNotify } from '../../parts/copy.tsx';
import { Menu } from '../../parts/menu.tsx';
import { printCount } from '../../parts/number.ts';
import type { Head } from '../../parts/plain-table.tsx';
import { href } from '../../platform/router/place.ts';
import { printCivil } from '../../platform/time/civil.ts';
import type { Item } from './item.ts';
import {
  type Loaded,
  type Plot,
  type PlottedItem,
  previousPrefix,
  stateStyler,
  summarize,
  summarizeStates,
} from './plot.ts';
import { type Cursor, printChange, type Reading, readingAt } from './reading.ts';
import { Amount, LegendButton, ReadoutTable } from './readout-table.tsx';
import { StateMark, Swatch } from './swatch.tsx';
import { printNumber } from './ticks.ts';
import { printShare, printSpanLength, sayHold } from './timestamps.ts';
import './readout.css';
import './readout-table.css';

interface Acts {
  onToggle(id: string): void;
  onIsolate(id: string): void;
  onRemove(id: string): void;
  onAxis(id: string): void;
}

/** A table with a row for each item. */
export function Readout({ plot, cursor, ...now }: Acts & { plot: Plot | null; cursor: Cursor | null }) {
  const acts = useLatest(now);
  return (
    <ReadoutTable caption="Items of the chart, with their values" heads={headsOf(plot, cursor)}>
      {plot?.plotted.map((each) => (
        <ReadoutRow key={each.item.id} {...each} plot={plot} cursor={cursor} acts={acts} />
      ))}
    </ReadoutTable>
  );
}

function headsOf(plot: Plot | null, cursor: Cursor | null): Head[] {
  const loaded = plot?.loaded;
  // Without min and max of each bucket, these are of what is drawn: the values of the buckets.
  const isOfBuckets = loaded && loaded.rollup !== null && !(loaded.hasBand && loaded.statistic === 'avg');
  const of = isOfBuckets ? ' of buckets' : '';
  const summary = [`Min${of}`, 'Mean', `Max${of}`, ...(loaded && showsSum(loaded) ? ['Sum'] : []), 'Points'];
  const time = plot && cursor ? printCivil(plot.zone, plot.loaded.rows.timesMs[cursor.row]!) : 'Last';
  return [
    'Item',
    [time, 'number'],
    ...summary.map((text) => [text, 'number wide-only'] as const),
    [
      <span key="actions" className="hidden-text">
        Actions
      </span>,
      '',
    ],
  ];
}

/** Sums are shown where they were asked for, and where two periods are compared. */
function showsSum({ compares, statistic }: Loaded): boolean {
  return compares !== '' || statistic === 'sum';
}

/** Acts that never change, so that rows with menus are not rendered again while the pointer moves. */
function useLatest(acts: Acts): Acts {
  const latest = useRef(acts);
  latest.current = acts;
  return useMemo(
    () => ({
      onToggle: (id) => latest.current.onToggle(id),
      onIsolate: (id) => latest.current.onIsolate(id),
      onRemove: (id) => latest.current.onRemove(id),
      onAxis: (id) => latest.current.onAxis(id),
    }),
    [],
  );
}

type CellProps = PlottedItem & { plot: Plot; cursor: Cursor | null };

function ReadoutRow(props: CellProps & { acts: Acts }) {
  const { item, isVisible, acts } = props;
  return (
    <tr className={isVisible ? '' : 'off'}>
      <th scope="row">
        <LegendButton isVisible={isVisible} onPress={() => acts.onToggle(item.id)}>
          <Swatch {...props} />
          <span className="break">{item.name}</span>
        </LegendButton>
      </th>
      {item.isEnum ? <StateCells {...props} /> : <NumberCells {...props} />}
      <td className="number">
        <RowMenu item={item} acts={acts} />
      </td>
    </tr>
  );
}

const RowMenu = memo(function RowMenu({ item, acts }: { item: Item; acts: Acts }) {
  return (
    <Menu
      label={`Actions for ${item.name}`}
      isTiny
      entries={[
        { text: 'Show only this', icon: 'eye', run: () => acts.onIsolate(item.id) },
        ...(item.isEnum ? [] : [{ text: 'Axis …', icon: 'cog' as const, run: () => acts.onAxis(item.id) }]),
        { text: 'Copy ID', icon: 'copy', run: () => void copyAndNotify(item.id, 'ID') },
        { text: 'Go to the item', icon: 'box', to: href(`/items/${item.id}`) },
        null,
        { text: 'Remove from the chart', icon: 'close', run: () => acts.onRemove(item.id) },
      ]}
    />
  );
});

function NumberCells(props: CellProps) {
  const { item, line, plot, cursor } = props;
  const { loaded, zone } = plot;
  const summary = useMemo(() => summarize(item, loaded), [item, loaded]);
  const earlier = useMemo(
    () => (loaded.compares === '' ? null : summarize(item, loaded, previousPrefix)),
    [item, loaded],
  );
  const reading = cursor && readingAt(props, loaded, cursor);
  const value = reading ? reading.value : (summary.last?.value ?? null);
  const unit = reading ? (line?.unit ?? item.unit) : item.unit;
  return (
    <>
      <td
        className="number value"
        title={reading || !summary.last ? undefined : printCivil(zone, summary.last.ms)}
      >
        {value === null ? <span className="quiet">no value</span> : <Amount value={value} unit={unit} />}
        {reading && <Details reading={reading} />}
      </td>
      <td className="number wide-only">{printOrEmpty(summary.min)}</td>
      <td className="number wide-only">
        {printOrEmpty(summary.mean, 5)}
        <Earlier value={earlier?.mean} now={summary.mean} />
      </td>
      <td className="number wide-only">{printOrEmpty(summary.max)}</td>
      {showsSum(loaded) && (
        <td className="number wide-only">
          {printOrEmpty(summary.sum)}
          <Earlier value={earlier?.sum} now={summary.sum} />
        </td>
      )}
      <td className="number wide-only">{printCount(summary.points)}</td>
    </>
  );
}

function printOrEmpty(value: number | null, digits?: number): string {
  return value === null ? '' : printNumber(value, digits);
}

/** The same of the earlier period, with the change since. */
function Earlier({ value, now }: { value: number | null | undefined; now: number | null }) {
  if (value == null) return null;
  return (
    <span className="readout-earlier">
      earlier {printNumber(value, 5)}
      {now !== null && ` (${printChange(now - value)})`}
    </span>
  );
}

/** More about a value: how old it is, min and max of its bucket, what it is compared with. */
function Details({ reading: { value, ageMs, band, earlier } }: { reading: Reading }) {
  const parts = [
    ageMs > 0 ? `${printSpanLength(ageMs)} before` : '',
    band ? `${printNumber(band[0])} to ${printNumber(band[1])}` : '',
    earlier === null
      ? ''
      : `earlier ${printNumber(earlier)}${value === null ? '' : ` (${printChange(value - earlier)})`}`,
  ].filter((part) => part !== '');
  if (parts.length === 0) return null;
  return <span className="quiet small band-note"> {parts.join(' · ')}</span>;
}

function StateCells(props: CellProps) {
  const { item, band, plot, cursor } = props;
  const summary = useMemo(() => summarizeStates(item, band ?? []), [item, band]);
  const style = stateStyler(item);
  const last = { row: 0, atMs: (band?.at(-1)?.toMs ?? 0) - 1 };
  const { held, text } = readingAt(props, plot.loaded, cursor ?? last);
  return (
    <>
      <td className="number value">
        {held === null ? <span className="quiet">{text}</span> : text}
        {held && <span className="quiet small band-note"> {sayHold(held, plot.zone)}</span>}
      </td>
      <td colSpan={showsSum(plot.loaded) ? 5 : 4} className="wide-only">
        <ul className="state-shares" aria-label={`States of ${item.name}`}>
          {summary.map(({ state, text, seconds, share }) => (
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
