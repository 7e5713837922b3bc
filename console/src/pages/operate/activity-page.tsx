/** What the service is doing: calls that run, with a way to end them, and calls that took long. */
import type { DurationSummary } from '@tidemark/client/wire';
import { useMemo, useState } from 'react';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { CodeBlock } from '../../parts/code-block.tsx';
import { CopyId } from '../../parts/copy.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { EmptyState, ErrorNotice, Waiting } from '../../parts/notice.tsx';
import { printBytes, printCount } from '../../parts/number.ts';
import { Card, Facts, Page } from '../../parts/page.tsx';
import { DataTable, RowActions } from '../../parts/table.tsx';
import type { Column } from '../../parts/table-layout.ts';
import { useLocalRows } from '../../parts/table-rows.ts';
import { tell, tellError } from '../../parts/toast.tsx';
import { href } from '../../platform/router/place.ts';
import { useRpc, useRpcChange } from '../../platform/rpc/rpc.ts';
import { useIsAdmin } from '../../platform/session/context.tsx';
import { printDuration } from '../../platform/time/age.ts';
import { Age } from '../../platform/time/moment.tsx';
import { printMs } from './milliseconds.ts';
import './operate.css';

interface SeenCall {
  method: string;
  caller: { id: string; kind: 'integration' | 'person'; name: string | null };
  address: string;
  trace: string;
  startedAt: string;
  durationMs: number;
  plan: unknown;
}
type RunningCall = SeenCall & { id: number };
type SlowCall = SeenCall & { code: number };

/** The page. */
export default function ActivityPage() {
  const isAdmin = useIsAdmin();
  const [shown, setShown] = useState<SeenCall | null>(null);
  const calls = useRpc('console.calls.list', {}, { refetchMs: 2000 });
  const cancel = useRpcChange('console.calls.cancel', ['console.calls.list']);
  const columns = useMemo(() => {
    const end = ({ id }: RunningCall) =>
      cancel.mutate({ id }, { onSuccess: () => tell('Call cancelled'), onError: tellError });
    return isAdmin ? [...runningColumns, cancelColumn(end)] : runningColumns;
  }, [isAdmin, cancel.mutate]);
  const others = useMemo(
    // That asks for this very list.
    () => calls.data?.running.filter(({ method }) => method !== 'console.calls.list'),
    [calls.data],
  );
  const running = useLocalRows(others, columns);
  const slow = useLocalRows(calls.data?.slow, slowColumns);
  return (
    <Page
      title="Activity"
      lead="What the service is doing now, and what took longer than usual since it was started."
      isWide
    >
      {calls.error && <ErrorNotice error={calls.error} retry={() => void calls.refetch()} />}
      {calls.isPending && <Waiting />}
      <Queues />
      <Card title="Running" note="Calls that read or change; inserts are not listed." isFlush>
        <DataTable
          label="Running calls"
          name="running"
          rows={running}
          columns={columns}
          idOf={({ id }) => String(id)}
          height="320px"
          empty={<EmptyState icon="pause" title="Nothing runs" />}
        />
      </Card>
      <Card title="Slow calls" note="Each took longer than the limit slowCallMs; the newest first." isFlush>
        <DataTable
          label="Slow calls"
          name="slow"
          rows={slow}
          columns={[...slowColumns, planColumn(setShown)]}
          idOf={({ trace, startedAt, durationMs }) => `${trace} ${startedAt} ${durationMs}`}
          height="420px"
          empty={<EmptyState icon="check" title="No call was slow" />}
        />
      </Card>
      {shown && <PlanDialog call={shown} onClose={() => setShown(null)} />}
    </Page>
  );
}

/** The queues, and the duration of calls of each kind. */
function Queues() {
  const { data } = useRpc('console.overview', {}, { refetchMs: 5000 });
  if (!data) return null;
  const { running, waiting, queueBytes, logBytes, sealLagS } = data.queues;
  const { insert, read, change } = data.durations;
  return (
    <Card title="Queues and times">
      <Facts
        facts={[
          ['Calls', `${printCount(running)} run, ${printCount(waiting)} wait for their turn`],
          ['To the disk', `${printBytes(queueBytes)} wait`],
          [
            'To be compressed',
            sealLagS > 0
              ? `${printBytes(logBytes)}, for ${printDuration(sealLagS * 1000)}`
              : printBytes(logBytes),
          ],
          ['Inserting takes', printSummary(insert)],
          ['Reading takes', printSummary(read)],
          ['Changing takes', printSummary(change)],
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

const seenColumns: readonly Column<SeenCall>[] = [
  {
    id: 'method',
    title: 'Method',
    width: '1.8fr',
    cell: ({ method }) => (
      <span className="table-name" title={method}>
        {method}
      </span>
    ),
  },
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
  {
    id: 'durationMs',
    title: 'Takes',
    isNumber: true,
    sort: ({ durationMs }) => durationMs,
    cell: ({ durationMs }) => printMs(durationMs),
  },
];

const runningColumns: readonly Column<RunningCall>[] = seenColumns;

const slowColumns: readonly Column<SlowCall>[] = [
  ...seenColumns,
  {
    id: 'code',
    title: 'Result',
    width: '110px',
    cell: ({ code }) => (code === 0 ? <Badge tone="good">done</Badge> : <Badge tone="bad">{code}</Badge>),
  },
  { id: 'startedAt', title: 'Began', width: '1fr', cell: ({ startedAt }) => <Age at={startedAt} /> },
];

function cancelColumn(end: (call: RunningCall) => void): Column<RunningCall> {
  return {
    id: 'actions',
    title: 'Actions',
    isTitleHidden: true,
    width: '110px',
    cell: (call) => (
      <RowActions>
        <Button isTiny icon="close" onPress={() => end(call)}>
          Cancel
        </Button>
      </RowActions>
    ),
  };
}

function planColumn(show: (call: SeenCall) => void): Column<SlowCall> {
  return {
    id: 'plan',
    title: 'Plan',
    width: '2fr',
    cell: (call) => (
      <Button isTiny tone="plain" onPress={() => show(call)}>
        <code className="cut">{call.plan === null ? 'none' : JSON.stringify(call.plan)}</code>
      </Button>
    ),
  };
}

function PlanDialog({ call, onClose }: { call: SeenCall; onClose(): void }) {
  return (
    <Dialog title={call.method} isOpen onClose={onClose} isWide>
      <Facts
        facts={[
          ['Took', printMs(call.durationMs)],
          ['From', call.address],
          ['Trace', <CopyId key="trace" id={call.trace} label="Copy trace" />],
        ]}
      />
      <CodeBlock label="What it decided before it read" text={JSON.stringify(call.plan, null, 2)} />
    </Dialog>
  );
}
