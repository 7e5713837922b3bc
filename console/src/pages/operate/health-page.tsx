/** Health of the parts, and the configuration without its secrets. */
import type { ConfigRow } from '@tidemark/client/wire';
import { useMemo, useState } from 'react';
import { Badge } from '../../parts/badge.tsx';
import { SearchField } from '../../parts/field.tsx';
import { Icon } from '../../parts/icon.tsx';
import { EmptyState, ErrorNotice, Waiting } from '../../parts/notice.tsx';
import { Card, Page } from '../../parts/page.tsx';
import { DataTable } from '../../parts/table.tsx';
import type { Column } from '../../parts/table-layout.ts';
import { useLocalRows } from '../../parts/table-rows.ts';
import { Segments } from '../../parts/tabs.tsx';
import { useRpc } from '../../platform/rpc/rpc.ts';
import { useIsAdmin } from '../../platform/session/context.tsx';
import { useHealth } from './health.tsx';
import './operate.css';

/** The page. */
export default function HealthPage() {
  const health = useHealth();
  const isAdmin = useIsAdmin();
  return (
    <Page title="Health" lead="What the service says of its parts, asked again every ten seconds.">
      {health.error && <ErrorNotice error={health.error} retry={() => void health.refetch()} />}
      {health.isPending && <Waiting />}
      {health.data && (
        <Card isFlush>
          <ul className="health">
            {health.data.checks.map(({ name, problem }) => (
              <li key={name}>
                <span className={problem === null ? 'health-mark good' : 'health-mark bad'}>
                  <Icon name={problem === null ? 'check' : 'warn'} />
                </span>
                <b>{name}</b>
                <span className={problem === null ? 'quiet' : 'field-error'}>{problem ?? 'well'}</span>
              </li>
            ))}
          </ul>
        </Card>
      )}
      {isAdmin && <ConfigCard />}
    </Page>
  );
}

const columns: readonly Column<ConfigRow>[] = [
  {
    id: 'name',
    title: 'Setting',
    width: '2fr',
    sort: ({ name }) => name,
    cell: ({ name }) => <code title={name}>{name}</code>,
  },
  {
    id: 'value',
    title: 'Value',
    width: '1.6fr',
    cell: ({ value }) => <code title={printSetting(value)}>{printSetting(value)}</code>,
  },
  {
    id: 'origin',
    title: 'From',
    width: '120px',
    sort: ({ origin }) => origin,
    cell: ({ origin }) =>
      origin === 'default' ? <span className="quiet">default</span> : <Badge tone="info">{origin}</Badge>,
  },
  {
    id: 'default',
    title: 'Default',
    width: '1.2fr',
    cell: (row) => (
      <code className="quiet" title={printSetting(row.default)}>
        {printSetting(row.default)}
      </code>
    ),
  },
  {
    id: 'reason',
    title: 'What it is for',
    width: '3fr',
    cell: ({ reason }) => <span title={reason}>{reason}</span>,
  },
];

function ConfigCard() {
  const [text, setText] = useState('');
  const [which, setWhich] = useState<'all' | 'changed'>('all');
  const config = useRpc('console.config');
  const all = config.data?.rows;
  const list = useMemo(() => {
    const word = text.trim().toLowerCase();
    return all?.filter(
      ({ name, reason, origin }) =>
        (which === 'all' || origin !== 'default') && `${name} ${reason}`.toLowerCase().includes(word),
    );
  }, [all, text, which]);
  const rows = useLocalRows(list, columns);
  return (
    <Card
      title="Configuration"
      note="Secrets are not shown. Changed by flag, environment or file, not here."
      isFlush
    >
      <div className="card-tools">
        <div className="grow">
          <SearchField label="Find a setting" value={text} onChange={setText} />
        </div>
        <Segments<'all' | 'changed'>
          label="Which settings"
          value={which}
          onChange={setWhich}
          options={[
            { value: 'all', text: 'All' },
            { value: 'changed', text: 'Changed' },
          ]}
        />
      </div>
      {config.error && <ErrorNotice error={config.error} />}
      <DataTable
        label="Settings"
        name="settings"
        rows={rows}
        columns={columns}
        idOf={({ name }) => name}
        height="560px"
        empty={
          <EmptyState
            icon="cog"
            title={which === 'changed' ? 'Everything is at its default' : 'No such setting'}
          />
        }
      />
    </Card>
  );
}

function printSetting(value: unknown): string {
  if (value === null || value === undefined) return '–';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
