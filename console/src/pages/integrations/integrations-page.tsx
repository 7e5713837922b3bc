/** The integrations: the programs that write to the service or read from it. */

import type { IntegrationFigures, IntegrationSilence } from '@tidemark/client/wire';
import { useMemo, useState } from 'react';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { EmptyState, ErrorNotice } from '../../parts/notice.tsx';
import { printCount, printShort } from '../../parts/number.ts';
import { Card, Page } from '../../parts/page.tsx';
import { DataTable } from '../../parts/table.tsx';
import type { Column } from '../../parts/table-layout.ts';
import { useLocalRows } from '../../parts/table-rows.ts';
import { href } from '../../platform/router/place.ts';
import { useRpc } from '../../platform/rpc/rpc.ts';
import { useIsAdmin } from '../../platform/session/context.tsx';
import { Age, Moment, parseMoment } from '../../platform/time/moment.tsx';
import { NewIntegrationDialog } from './new-integration-dialog.tsx';
import { SilentCount } from './silent-count.tsx';
import './integrations.css';

type Row = IntegrationFigures & { silence: IntegrationSilence | undefined };

const columns: readonly Column<Row>[] = [
  {
    id: 'name',
    title: 'Name',
    isNarrow: true,
    width: '2.2fr',
    sort: ({ name }) => name,
    cell: ({ id, name, disabledAt }) => (
      <>
        <a className="table-name cut" href={href(`/integrations/${id}`)}>
          {name}
        </a>
        {disabledAt !== null && (
          <Badge tone="warn" icon="pause">
            disabled
          </Badge>
        )}
      </>
    ),
  },
  { id: 'grants', title: 'Permissions', width: '250px', cell: ({ grants }) => <Grants grants={grants} /> },
  {
    id: 'signals',
    title: 'Signals',
    isNarrow: true,
    isNumber: true,
    sort: ({ signals }) => signals,
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
    width: '1.2fr',
    sort: ({ silence }) => parseMoment(silence?.lastTime),
    cell: ({ silence }) => <Age at={silence?.lastTime} />,
  },
  {
    id: 'items',
    title: 'Items',
    isNumber: true,
    isExtra: true,
    sort: ({ items }) => items,
    cell: ({ items }) => printCount(items),
  },
  {
    id: 'pointsToday',
    title: 'Points today',
    isNumber: true,
    sort: ({ pointsToday }) => pointsToday,
    cell: ({ pointsToday }) => printCount(pointsToday),
  },
  {
    id: 'points7d',
    title: 'Points a day',
    width: '130px',
    isNumber: true,
    sort: ({ points7d }) => points7d,
    cell: ({ points7d }) => <PointsPerDay points7d={points7d} />,
  },
  {
    id: 'rejectedToday',
    title: 'Refused today',
    isExtra: true,
    isNumber: true,
    sort: ({ rejectedToday }) => rejectedToday,
    cell: ({ rejectedToday }) =>
      rejectedToday > 0 ? (
        <Badge tone="bad">{printCount(rejectedToday)}</Badge>
      ) : (
        <span className="quiet">0</span>
      ),
  },
  {
    id: 'errors',
    title: 'Errors',
    isNumber: true,
    sort: ({ errors }) => errors,
    cell: ({ errors, lastErrorAt }) =>
      errors > 0 ? (
        <span title={`Since the service was started; the last at ${lastErrorAt}`}>
          <Badge tone="bad">{printCount(errors)}</Badge>
        </span>
      ) : (
        <span className="quiet">0</span>
      ),
  },
  {
    id: 'lastSeenAt',
    title: 'Last seen',
    width: '1.2fr',
    sort: ({ lastSeenAt }) => parseMoment(lastSeenAt),
    cell: ({ lastSeenAt }) => <Age at={lastSeenAt} />,
  },
  {
    id: 'plan',
    title: 'Plan',
    isExtra: true,
    sort: ({ plan }) => plan,
    cell: ({ plan }) => plan,
  },
  {
    id: 'createdAt',
    title: 'Created',
    width: '1.8fr',
    isExtra: true,
    sort: ({ createdAt }) => createdAt,
    cell: ({ createdAt }) => <Moment at={createdAt} />,
  },
];

/** Each integration with what is known of its silent signals. */
function useSilence(integrations: readonly IntegrationFigures[] | undefined): readonly Row[] | undefined {
  const { data } = useRpc('console.signals.silent', {}, { refetchMs: 30_000 });
  return useMemo(() => {
    const byId = new Map(data?.integrations.map((each) => [each.integration, each]));
    return integrations?.map((each) => ({ ...each, silence: byId.get(each.id) }));
  }, [integrations, data]);
}

/** An average, of seven days. */
function PointsPerDay({ points7d }: { points7d: number }) {
  return <span title={`${printCount(points7d)} in seven days`}>{printShort(points7d / 7)}</span>;
}

/** The list. */
export default function IntegrationsPage() {
  const isAdmin = useIsAdmin();
  const [isNewOpen, setNewOpen] = useState(false);
  const list = useRpc('console.integrations.list', {}, { refetchMs: 15_000 });
  const rows = useLocalRows(useSilence(list.data?.integrations), columns, 'name');
  const create = isAdmin && (
    <Button tone="primary" icon="plus" onPress={() => setNewOpen(true)}>
      New integration
    </Button>
  );
  return (
    <Page
      title="Integrations"
      lead="Programs that write to this service or read from it. Each has credentials of its own."
      actions={rows.total > 0 && create}
      isWide
    >
      {list.error && <ErrorNotice error={list.error} retry={() => void list.refetch()} />}
      <Card isFlush>
        <DataTable
          label="Integrations"
          name="integrations"
          rows={rows}
          columns={columns}
          idOf={({ id }) => id}
          linkOf={({ id }) => href(`/integrations/${id}`)}
          empty={<NoIntegrations action={create} />}
        />
      </Card>
      <NewIntegrationDialog isOpen={isNewOpen} onClose={() => setNewOpen(false)} />
    </Page>
  );
}

/** The namespaces that an integration may use. */
export function Grants({ grants }: { grants: IntegrationFigures['grants'] }) {
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
        An integration stands for one program or gateway. It gets credentials, saves signals with their
        metadata, and inserts points. Create one, download its credentials, and paste a ready snippet to see
        data arrive.
      </p>
    </EmptyState>
  );
}
