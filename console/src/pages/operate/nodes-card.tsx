/** The nodes of the service: version, start, health, and how long they take to answer. */
import type { ServiceNode } from '@tidemark/client/wire';
import { Badge } from '../../parts/badge.tsx';
import { ageColumn, numberColumn, textColumn } from '../../parts/column-kinds.tsx';
import { printBytes, printCount } from '../../parts/number.ts';
import { TableCard } from '../../parts/table-card.tsx';
import type { Column } from '../../parts/table-layout.ts';
import { useRpc } from '../../platform/rpc/rpc.ts';
import { printDuration } from '../../platform/time/age.ts';
import { printMs } from './milliseconds.ts';

/** The card; nothing where there is only one process. */
export function NodesCard() {
  const nodes = useRpc('console.nodes', {}, { refetchMs: 5000 });
  const list = nodes.data?.nodes;
  if (list?.every(({ id }) => id === '') ?? true) return null;
  return (
    <TableCard
      title="Nodes"
      note="Processes of the service that share its data. One that ended without notice is listed for an hour."
      name="nodes"
      of={nodes}
      list={list}
      columns={columns}
      idOf={({ id }) => id}
      height="280px"
    />
  );
}

const columns: readonly Column<ServiceNode>[] = [
  textColumn('node', 'Node', ({ id }) => id, { isName: true, width: '2fr', sort: ({ id }) => id }),
  {
    id: 'health',
    title: 'Health',
    width: '1.6fr',
    sort: (node) => stateOf(node).text,
    cell: (node) => {
      const { text, tone } = stateOf(node);
      return (
        <Badge tone={tone} icon={tone === 'good' ? 'check' : 'warn'}>
          {text}
        </Badge>
      );
    },
  },
  {
    id: 'this',
    title: 'Shown by',
    width: '100px',
    cell: ({ isThis }) => isThis && <Badge tone="info">this page</Badge>,
  },
  textColumn('version', 'Version', ({ version }) => version, { sort: ({ version }) => version }),
  ageColumn('startedAt', 'Started'),
  numberColumn('delay', 'Answer', ({ state }) => state?.delayMs ?? Number.NaN, printOr(printMs)),
  numberColumn('running', 'Running', ({ state }) => state?.running ?? Number.NaN, printOr(printCount)),
  numberColumn('waiting', 'Queued', ({ state }) => state?.waiting ?? Number.NaN, printOr(printCount)),
  numberColumn('memory', 'Memory', ({ state }) => state?.memoryBytes ?? Number.NaN, printOr(printBytes)),
];

function stateOf({ state, silentS }: ServiceNode): { text: string; tone: 'good' | 'bad' } {
  if (state === null)
    return { text: `no answer, heard of ${printDuration(silentS * 1000)} ago`, tone: 'bad' };
  const problems = state.checks.flatMap(({ name, problem }) =>
    problem === null ? [] : [`${name}: ${problem}`],
  );
  return problems.length === 0
    ? { text: 'healthy', tone: 'good' }
    : { text: problems.join(', '), tone: 'bad' };
}

function printOr(print: (number: number) => string) {
  return (number: number) => (Number.isNaN(number) ? '' : print(number));
}
