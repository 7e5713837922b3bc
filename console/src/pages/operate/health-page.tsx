/** Health of the parts, and the configuration without its secrets. */
import type { ConfigRow } from '@tidemark/client/wire';
import { useMemo, useState } from 'react';
import { Badge } from '../../parts/badge.tsx';
import { textColumn } from '../../parts/column-kinds.tsx';
import { SearchField } from '../../parts/field.tsx';
import { Answer, EmptyState } from '../../parts/notice.tsx';
import { Card, Page } from '../../parts/page.tsx';
import { TableCard } from '../../parts/table-card.tsx';
import type { Column } from '../../parts/table-layout.ts';
import { Segments } from '../../parts/tabs.tsx';
import { useRpc } from '../../platform/rpc/rpc.ts';
import { useIsAdmin } from '../../platform/session/context.tsx';
import { useHealth } from './health.tsx';
import { NodesCard } from './nodes-card.tsx';
import './health-page.css';

/** The page. */
export default function HealthPage() {
  const health = useHealth();
  const isAdmin = useIsAdmin();
  return (
    <Page title="Health" lead="The state of each part of the service, updated every ten seconds.">
      <Answer of={health}>
        {({ checks }) => (
          <Card isFlush>
            <ul className="lines">
              {checks.map(({ name, problem }) => (
                <li key={name}>
                  <b className="grow">{name}</b>
                  {problem !== null && <span className="grow field-error">{problem}</span>}
                  <Badge tone={problem === null ? 'good' : 'bad'} icon={problem === null ? 'check' : 'warn'}>
                    {problem === null ? 'healthy' : 'failed'}
                  </Badge>
                </li>
              ))}
            </ul>
          </Card>
        )}
      </Answer>
      <NodesCard />
      {isAdmin && <ConfigCard />}
    </Page>
  );
}

const columns: readonly Column<ConfigRow>[] = [
  textColumn('name', 'Setting', ({ name }) => name, { isCode: true, width: '2fr', sort: ({ name }) => name }),
  textColumn('value', 'Value', ({ value }) => printSetting(value), { isCode: true, width: '1.6fr' }),
  {
    id: 'origin',
    title: 'From',
    width: '120px',
    sort: ({ origin }) => origin,
    cell: ({ origin }) =>
      origin === 'default' ? <span className="quiet">default</span> : <Badge tone="info">{origin}</Badge>,
  },
  textColumn('default', 'Default', (row) => printSetting(row.default), { isCode: true, width: '1.2fr' }),
  textColumn('reason', 'Purpose', ({ reason }) => reason, { width: '3fr' }),
];

function ConfigCard() {
  const [text, setText] = useState('');
  const [which, setWhich] = useState<Which>('all');
  const config = useRpc('console.config');
  const all = config.data?.rows;
  const list = useMemo(() => {
    const word = text.trim().toLowerCase();
    return all?.filter(
      ({ name, reason, origin }) =>
        (which === 'all' || origin !== 'default') && `${name} ${reason}`.toLowerCase().includes(word),
    );
  }, [all, text, which]);
  return (
    <TableCard
      title="Configuration"
      label="Settings"
      note="Secrets are not shown. Set by flags, environment variables or the configuration file."
      name="settings"
      of={config}
      list={list}
      columns={columns}
      idOf={({ name }) => name}
      height="560px"
      tools={
        <div className="card-tools">
          <div className="grow">
            <SearchField label="Find a setting" value={text} onChange={setText} />
          </div>
          <Segments<Which> label="Which settings" value={which} onChange={setWhich} options={whichOptions} />
        </div>
      }
      empty={<EmptyState icon="cog" title="No setting matches" />}
    />
  );
}

type Which = 'all' | 'changed';

const whichOptions = [
  { value: 'all', text: 'All' },
  { value: 'changed', text: 'Changed' },
] as const;

function printSetting(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
