/** Running calls, which administrators can cancel, slow calls, and the queues of the service. */
import type { DurationSummary } from '@tidemark/client/wire';
import { useMemo, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { CodeBlock } from '../../parts/code-block.tsx';
import {
  ageColumn,
  badgeColumn,
  extractColumn,
  lastColumn,
  numberColumn,
  textColumn,
} from '../../parts/column-kinds.tsx';
import { CopyId } from '../../parts/copy.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { EmptyState, Failure, Waiting } from '../../parts/notice.tsx';
import { printBytes, printCount } from '../../parts/number.ts';
import { Card, Facts, Page } from '../../parts/page.tsx';
import { TableCard } from '../../parts/table-card.tsx';
import type { Column } from '../../parts/table-layout.ts';
import { notify, notifyError } from '../../parts/toast.tsx';
import { href } from '../../platform/router/place.ts';
import { type ResultOf, useRpc, useRpcChange } from '../../platform/rpc/rpc.ts';
import { useIsAdmin } from '../../platform/session/context.tsx';
import { printDuration } from '../../platform/time/age.ts';
import { printMs } from './milliseconds.ts';
import { SilentNodes } from './silent-nodes.tsx';

type Calls = ResultOf<'console.calls.list'>;
type RunningCall = Calls['running'][number];
type SlowCall = Calls['slow'][number];
type AnyCall = RunningCall | SlowCall;

/** The page. */
export default function ActivityPage() {
  const [shown, setShown] = useState<SlowCall | null>(null);
  const calls = useRpc('console.calls.list', {}, { refetchMs: 2000 });
  const hasNodes = calls.data?.running.some(({ node }) => node !== '') ?? false;
  const runningColumns = useRunningColumns(hasNodes);
  return (
    <Page
      title="Activity"
      lead="Calls that are running, and slow calls since the service was started."
      isWide
    >
      <Failure of={calls} />
      {calls.isPending && <Waiting />}
      <SilentNodes names={calls.data?.silentNodes} />
      <Queues hasNodes={hasNodes} />
      <TableCard
        title="Running"
        label="Running calls"
        note="Reads and changes; inserts are not listed."
        name="running"
        // Without the call that requests this list.
        list={calls.data?.running.filter(({ method }) => method !== 'console.calls.list')}
        columns={runningColumns}
        idOf={({ id, node }) => `${node} ${id}`}
        height="320px"
        empty={<EmptyState icon="pause" title="No calls are running" />}
      />
      <TableCard
        title="Slow calls"
        note="Calls that took longer than the limit slowCallMs, newest first."
        name="slow"
        list={calls.data?.slow}
        columns={[
          ...callColumns,
          ...(hasNodes ? [nodeColumn] : []),
          ...slowColumns,
          extractColumn('plan', 'Plan', printPlan, setShown),
        ]}
        idOf={({ trace, startedAt, durationMs }) => `${trace} ${startedAt} ${durationMs}`}
        empty={<EmptyState icon="check" title="No slow calls" />}
      />
      {shown && <PlanDialog call={shown} onClose={() => setShown(null)} />}
    </Page>
  );
}

function useRunningColumns(hasNodes: boolean): readonly Column<RunningCall>[] {
  const isAdmin = useIsAdmin();
  const { mutate } = useRpcChange('console.calls.cancel', ['console.calls.list'], () =>
    notify('Call cancelled'),
  );
  return useMemo(() => {
    const cancel = ({ id, node }: RunningCall) => mutate({ id, node }, { onError: notifyError });
    const shown = hasNodes ? [...callColumns, nodeColumn] : callColumns;
    return isAdmin ? [...shown, cancelColumn(cancel)] : shown;
  }, [isAdmin, hasNodes, mutate]);
}

function Queues({ hasNodes }: { hasNodes: boolean }) {
  const { data } = useRpc('console.overview', {}, { refetchMs: 5000 });
  if (!data) return null;
  const { running, waiting, queueBytes, logBytes, sealLagS } = data.queues;
  const { insert, read, change } = data.durations;
  const lag = sealLagS > 0 ? `, the oldest for ${printDuration(sealLagS * 1000)}` : '';
  return (
    <Card title="Queues and durations" note={hasNodes && 'Of the node that shows this page.'}>
      <Facts
        facts={[
          ['Calls', `${printCount(running)} running, ${printCount(waiting)} in the queue`],
          ['Waiting to be written', printBytes(queueBytes)],
          ['Waiting to be compressed', `${printBytes(logBytes)}${lag}`],
          ['Inserts', printSummary(insert)],
          ['Reads', printSummary(read)],
          ['Changes', printSummary(change)],
        ]}
      />
    </Card>
  );
}

function printSummary(summary: DurationSummary | null): string {
  if (summary === null) return 'no call yet';
  const { medianMs, p95Ms } = summary;
  return `median ${printMs(medianMs)}, p95 ${printMs(p95Ms)}`;
}

const callColumns: readonly Column<AnyCall>[] = [
  textColumn('method', 'Method', ({ method }) => method, { isName: true, width: '1.8fr' }),
  {
    id: 'caller',
    title: 'By',
    width: '1.4fr',
    cell: ({ caller: { id, kind, name } }) =>
      kind === 'integration' && name !== null ? (
        <a href={href(`/integrations/${id}`)}>{name}</a>
      ) : (
        <span title={id}>{name ?? id}</span>
      ),
  },
  { id: 'address', title: 'From', width: '1.2fr', cell: ({ address }) => address },
  numberColumn('durationMs', 'Duration', ({ durationMs }) => durationMs, printMs),
];

/** Shown where there are several nodes. */
const nodeColumn: Column<AnyCall> = textColumn('node', 'Node', ({ node }) => node, { width: '1.2fr' });

const slowColumns: readonly Column<SlowCall>[] = [
  badgeColumn('code', 'Result', ({ code }) => (code === 0 ? ['done', 'good'] : [`${code}`, 'bad']), {
    width: '110px',
  }),
  ageColumn('startedAt', 'Started', { width: '1fr' }),
];

function cancelColumn(cancel: (call: RunningCall) => void): Column<RunningCall> {
  return lastColumn('110px', (call) => (
    <Button isTiny icon="close" onPress={() => cancel(call)}>
      Cancel
    </Button>
  ));
}

function printPlan({ plan }: SlowCall): string {
  return plan === null ? 'none' : JSON.stringify(plan);
}

function PlanDialog({ call, onClose }: { call: SlowCall; onClose(): void }) {
  return (
    <Dialog title={call.method} onClose={onClose} isWide>
      <Facts
        facts={[
          ['Duration', printMs(call.durationMs)],
          ['From', call.address],
          ['Trace', <CopyId key="trace" id={call.trace} label="Copy trace ID" />],
        ]}
      />
      <CodeBlock label="Plan" text={JSON.stringify(call.plan, null, 2)} />
    </Dialog>
  );
}
