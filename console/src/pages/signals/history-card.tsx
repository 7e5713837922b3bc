/** The chart of a signal or item, published or not, with its figures and its newest points. */
import type { HistoryPart, SignalHistory } from '@tidemark/client/wire';
import { useState } from 'react';
import { Failure, Waiting } from '../../parts/notice.tsx';
import { printCount } from '../../parts/number.ts';
import { Card } from '../../parts/page.tsx';
import { PlainTable } from '../../parts/plain-table.tsx';
import { Segments } from '../../parts/tabs.tsx';
import { useRpc } from '../../platform/rpc/rpc.ts';
import type { Attributes } from '../../platform/rpc/shapes.ts';
import { Age, Moment } from '../../platform/time/moment.tsx';
import { usePrinter } from '../../platform/time/zone.ts';
import { box, type HistoryRange, pathsOf, ranges, sumsOf } from './history.ts';
import styles from './history-card.module.css';
import { Value } from './signal-cells.tsx';

const listedMax = 20;

interface HistoryProps {
  /** One signal, or those that feed an item. */
  ids: readonly string[];
  attributes: Attributes;
}

/** The card. */
export function HistoryCard({ ids, attributes }: HistoryProps) {
  const [range, setRange] = useState<HistoryRange>('P7D');
  const { data, error, isPending, refetch } = useRpc(
    'console.signals.history',
    { ids, range },
    { refetchMs: 15_000, keepPrevious: true, isEnabled: ids.length > 0 },
  );
  return (
    <Card
      title="Values"
      actions={<Segments<HistoryRange> label="Range" value={range} onChange={setRange} options={ranges} />}
    >
      <Failure of={{ error, refetch }} />
      {isPending && ids.length > 0 && <Waiting />}
      {ids.length === 0 && <p className="quiet">No signal feeds this item, so it has no points.</p>}
      {data && data.newest.length === 0 && <p className="quiet">No points yet.</p>}
      {data && data.newest.length > 0 && <History history={data} attributes={attributes} />}
    </Card>
  );
}

interface ChartedProps {
  history: SignalHistory;
  attributes: Attributes;
}

function History({ history, attributes }: ChartedProps) {
  return (
    <div className={styles.columns}>
      <div className="stack-tight">
        <Chart history={history} attributes={attributes} />
        <Sums parts={history.parts} attributes={attributes} />
      </div>
      <NewestPoints history={history} attributes={attributes} />
    </div>
  );
}

function Chart({ history: { from, before, parts }, attributes }: ChartedProps) {
  const printer = usePrinter();
  const isEnum = attributes.valueType === 'enum';
  const { line, band } = pathsOf(parts, isEnum);
  const { min, max } = sumsOf(parts);
  const [first, last] = [Date.parse(from), Date.parse(before)];
  const words = `${attributes.name} from ${printer.second(first)} to ${printer.second(last)}`;
  return (
    <figure className={styles.chart}>
      <div className={styles.scale}>
        <span>{max !== null && <Value value={max} attributes={attributes} />}</span>
        <span>{min !== null && min !== max && <Value value={min} attributes={attributes} />}</span>
      </div>
      <svg
        viewBox={`0 0 ${box.width} ${box.height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={words}
      >
        <path className={styles.band} d={band} />
        <path className={styles.line} d={line} vectorEffect="non-scaling-stroke" />
      </svg>
      <figcaption className={styles.times}>
        <span>{printer.second(first)}</span>
        <span>{printer.second(last)}</span>
      </figcaption>
    </figure>
  );
}

function Sums({ parts, attributes }: { parts: readonly HistoryPart[]; attributes: Attributes }) {
  const { count, min, max, avg } = sumsOf(parts);
  const values = attributes.valueType === 'enum' ? {} : { Min: min, Mean: avg, Max: max };
  return (
    <dl className={styles.sums}>
      <div>
        <dt>Points in the range</dt>
        <dd>{printCount(count)}</dd>
      </div>
      {Object.entries(values).map(([title, value]) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd>{value === null ? '–' : <Value value={value} attributes={attributes} />}</dd>
        </div>
      ))}
    </dl>
  );
}

function NewestPoints({ history: { newest }, attributes }: ChartedProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard has to reach it
    <section className={styles.newest} aria-label="Newest points" tabIndex={0}>
      <PlainTable heads={['Newest points', 'Age', 'Value']}>
        {newest.slice(0, listedMax).map(({ time, value }) => (
          <tr key={time}>
            <td>
              <Moment at={time} />
            </td>
            <td>
              <Age at={time} />
            </td>
            <td>
              <Value value={value} attributes={attributes} />
            </td>
          </tr>
        ))}
      </PlainTable>
    </section>
  );
}
