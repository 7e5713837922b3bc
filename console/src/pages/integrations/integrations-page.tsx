/** The integrations: the programs that write to the service or read from it. */
import type { IntegrationFigures, IntegrationSilence } from '@tidemark/client/wire';
import { useMemo } from 'react';
import { Badge } from '../../parts/badge.tsx';
import { ageColumn, momentColumn, numberColumn } from '../../parts/column-kinds.tsx';
import { DialogButton } from '../../parts/dialog.tsx';
import { EmptyState } from '../../parts/notice.tsx';
import { printCount, printShort } from '../../parts/number.ts';
import { Page } from '../../parts/page.tsx';
import { fullHeight } from '../../parts/table.tsx';
import { TableCard } from '../../parts/table-card.tsx';
import type { Column } from '../../parts/table-layout.ts';
import { href } from '../../platform/router/place.ts';
import { useRpc } from '../../platform/rpc/rpc.ts';
import { useIsAdmin } from '../../platform/session/context.tsx';
import { Age, parseMoment } from '../../platform/time/moment.tsx';
import { DisabledBadge, SilentCount, useSilences } from './integration-badges.tsx';
import { NewIntegrationDialog } from './new-integration-dialog.tsx';

type Row = IntegrationFigures & { silence: IntegrationSilence | undefined };

const columns: readonly Column<Row>[] = [
  {
    id: 'name',
    title: 'Name',
    isNarrow: true,
    width: '1.6fr',
    sort: ({ name }) => name,
    cell: ({ id, name, disabledAt }) => (
      <>
        <a className="table-name cut" href={href(`/integrations/${id}`)}>
          {name}
        </a>
        {disabledAt !== null && <DisabledBadge />}
      </>
    ),
  },
  { id: 'grants', title: 'Permissions', width: '210px', cell: ({ grants }) => <Grants grants={grants} /> },
  {
    ...numberColumn<Row>('signals', 'Signals', ({ signals }) => signals),
    isNarrow: true,
    cell: ({ id, signals }) => <a href={href('/signals', { integration: id })}>{printCount(signals)}</a>,
  },
  {
    id: 'silent',
    title: 'Silent',
    isNarrow: true,
    isNumber: true,
    sort: ({ silence }) => silence?.silent ?? null,
    cell: ({ id, silence }) => <SilentCount integration={id} silence={silence} />,
  },
  {
    id: 'lastTime',
    title: 'Newest point',
    isNarrow: true,
    width: '1.3fr',
    sort: ({ silence }) => parseMoment(silence?.lastTime),
    cell: ({ silence }) => <Age at={silence?.lastTime} />,
  },
  { ...numberColumn<Row>('items', 'Items', ({ items }) => items), isExtra: true },
  { ...numberColumn<Row>('pointsToday', 'Points today', ({ pointsToday }) => pointsToday), width: '118px' },
  {
    ...numberColumn<Row>('points7d', 'Points a day', ({ points7d }) => points7d),
    width: '118px',
    cell: ({ points7d }) => (
      <span title={`${printCount(points7d)} in seven days`}>{printShort(points7d / 7)}</span>
    ),
  },
  {
    ...numberColumn<Row>('rejectedToday', 'Refused today', ({ rejectedToday }) => rejectedToday),
    isExtra: true,
    cell: ({ rejectedToday }) => <BadCount count={rejectedToday} />,
  },
  {
    ...numberColumn<Row>('errors', 'Errors', ({ errors }) => errors),
    width: '80px',
    cell: ({ errors, lastErrorAt }) => (
      <span title={errors > 0 ? `Since the service was started; the last at ${lastErrorAt}` : ''}>
        <BadCount count={errors} />
      </span>
    ),
  },
  ageColumn('lastSeenAt', 'Last seen'),
  { id: 'plan', title: 'Plan', isExtra: true, sort: ({ plan }) => plan, cell: ({ plan }) => plan },
  momentColumn('createdAt', 'Created', {
    width: '1.8fr',
    isExtra: true,
    sort: ({ createdAt }) => createdAt,
  }),
];

function BadCount({ count }: { count: number }) {
  return count > 0 ? <Badge tone="bad">{printCount(count)}</Badge> : <span className="quiet">0</span>;
}

/** Each integration with its silent signals, as far as they are known. */
function useRows(integrations: readonly IntegrationFigures[] | undefined): readonly Row[] | undefined {
  const silences = useSilences();
  return useMemo(() => {
    const byId = new Map(silences?.map((each) => [each.integration, each]));
    return integrations?.map((each) => ({ ...each, silence: byId.get(each.id) }));
  }, [integrations, silences]);
}

/** The list. */
export default function IntegrationsPage() {
  const isAdmin = useIsAdmin();
  const list = useRpc('console.integrations.list', {}, { refetchMs: 15_000 });
  const rows = useRows(list.data?.integrations);
  const create = isAdmin && (
    <DialogButton tone="primary" icon="plus" text="New integration">
      {(close) => <NewIntegrationDialog onClose={close} />}
    </DialogButton>
  );
  return (
    <Page
      title="Integrations"
      lead="Programs that write to this service or read from it. Each has its own credentials."
      actions={rows && rows.length > 0 && create}
      isWide
    >
      <TableCard
        label="Integrations"
        name="integrations"
        of={list}
        list={rows}
        sort="name"
        columns={columns}
        idOf={({ id }) => id}
        linkOf={({ id }) => href(`/integrations/${id}`)}
        height={fullHeight}
        empty={<NoIntegrations action={create} />}
      />
    </Page>
  );
}

function Grants({ grants }: { grants: IntegrationFigures['grants'] }) {
  return (
    <>
      <Badge>write</Badge>
      {grants.includes('admin') && (
        <Badge tone="warn" icon="shield">
          admin
        </Badge>
      )}
      {grants.includes('service') && <Badge tone="info">read</Badge>}
    </>
  );
}

function NoIntegrations({ action }: { action: React.ReactNode }) {
  return (
    <EmptyState icon="plug" title="No integration yet" action={action}>
      <p>
        An integration represents one program or gateway. It has credentials, saves signals with their
        metadata, and inserts points. Create one, download its credentials, and run one of the snippets on its
        page to send data.
      </p>
    </EmptyState>
  );
}
