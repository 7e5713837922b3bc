/** States as tables: how long each held and how often, and every occurrence. */
import { useMemo } from 'react';
import { Button } from '../../parts/button.tsx';
import { numberColumn, textColumn } from '../../parts/column-kinds.tsx';
import { DataTable } from '../../parts/table.tsx';
import type { Column } from '../../parts/table-layout.ts';
import { useLocalRows } from '../../parts/table-rows.ts';
import { printCivil } from '../../platform/time/civil.ts';
import { stateText } from './item.ts';
import { type Plot, type PlottedItem, stateStyler, summarizeStates } from './plot.ts';
import { ReadoutTable } from './readout-table.tsx';
import type { StateSpan } from './state-band.ts';
import { StateColorMenu } from './state-color-menu.tsx';
import { StateMark } from './swatch.tsx';
import { printShare, printSpanLength } from './timestamps.ts';
import './states-table.css';
import './readout-table.css';

interface StatesTableProps {
  plot: Plot;
  onEveryPoint(): void;
}

/** Both tables; occurrences are known only where every point was loaded. */
export function StatesTable({ plot: { plotted, loaded, zone }, onEveryPoint }: StatesTableProps) {
  const enums = plotted.filter(({ band }) => band !== null);
  const isOfPoints = loaded.rollup === null;
  const ofPoints = isOfPoints
    ? ([
        ['Times', 'number wide-only'],
        ['Longest', 'number wide-only'],
      ] as const)
    : [];
  return (
    <>
      <ReadoutTable
        caption="How long each state held"
        heads={['Item', 'State', ['Held for', 'number'], ['Share', 'number'], ...ofPoints]}
      >
        {enums.map((each) => (
          <StateRows key={each.item.id} plotted={each} isOfPoints={isOfPoints} />
        ))}
      </ReadoutTable>
      {isOfPoints ? (
        <Occurrences plotted={enums} zone={zone} />
      ) : (
        <p className="state-note">
          <span className="quiet">Start and end of each state need every point.</span>{' '}
          <Button isTiny onPress={onEveryPoint}>
            Load every point
          </Button>
        </p>
      )}
    </>
  );
}

function StateRows({ plotted: { item, band }, isOfPoints }: { plotted: PlottedItem; isOfPoints: boolean }) {
  const style = stateStyler(item);
  return summarizeStates(item, band!).map(({ state, text, seconds, share, times, longestMs }) => (
    <tr key={state}>
      <th scope="row">{item.name}</th>
      <td>
        <span className="state-name">
          <StateMark style={style(state)} />
          {text}
          <StateColorMenu item={item} state={state} />
        </span>
      </td>
      <td className="number">{printSpanLength(seconds * 1000)}</td>
      <td className="number">{printShare(share)}</td>
      {isOfPoints && (
        <>
          <td className="number wide-only">{times}</td>
          <td className="number wide-only">{printSpanLength(longestMs)}</td>
        </>
      )}
    </tr>
  ));
}

interface Occurrence extends StateSpan {
  plotted: PlottedItem;
}

function Occurrences({ plotted, zone }: { plotted: readonly PlottedItem[]; zone: string }) {
  const occurrences = useMemo(
    () => plotted.flatMap((each) => each.band!.map((span): Occurrence => ({ plotted: each, ...span }))),
    [plotted],
  );
  const columns = useMemo(() => occurrenceColumns(zone), [zone]);
  const rows = useLocalRows(occurrences, columns);
  return (
    <DataTable
      label="Occurrences of states"
      name="explorer-states"
      rows={rows}
      columns={columns}
      idOf={({ plotted: { item }, fromMs }) => `${item.id} ${fromMs}`}
      empty={<p className="quiet table-empty">No state is known in this window.</p>}
      height="min(420px, 60dvh)"
    />
  );
}

function occurrenceColumns(zone: string): Column<Occurrence>[] {
  const timeColumn = (id: 'from' | 'to', title: string): Column<Occurrence> => ({
    ...{ id, title, width: '180px', sort: (row) => row[`${id}Ms`] },
    cell: (row) => <span className="figures">{printCivil(zone, row[`${id}Ms`])}</span>,
  });
  return [
    textColumn('item', 'Item', ({ plotted }) => plotted.item.name, {
      width: '1.4fr',
      sort: ({ plotted }) => plotted.item.name,
    }),
    {
      id: 'state',
      title: 'State',
      sort: ({ plotted, state }) => stateText(plotted.item, state),
      cell: ({ plotted, state }) => (
        <span className="state-name">
          <StateMark style={stateStyler(plotted.item)(state)} />
          {stateText(plotted.item, state)}
        </span>
      ),
    },
    timeColumn('from', 'From'),
    timeColumn('to', 'To'),
    numberColumn('length', 'Held for', ({ fromMs, toMs }) => toMs - fromMs, printSpanLength),
  ];
}
