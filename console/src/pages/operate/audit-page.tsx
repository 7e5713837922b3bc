/** The audit log: administrative changes, newest first. */
import { useInfiniteQuery } from '@tanstack/react-query';
import type { AuditRow } from '@tidemark/client/wire';
import { useMemo, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { CodeBlock, download } from '../../parts/code-block.tsx';
import { badgeColumn, extractColumn, momentColumn, textColumn } from '../../parts/column-kinds.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import { EmptyState } from '../../parts/notice.tsx';
import { Facts, Page } from '../../parts/page.tsx';
import { fullHeight } from '../../parts/table.tsx';
import { TableCard } from '../../parts/table-card.tsx';
import type { Column } from '../../parts/table-layout.ts';
import { usePlaceState } from '../../platform/router/place.ts';
import { call } from '../../platform/rpc/rpc.ts';
import { Moment } from '../../platform/time/moment.tsx';
import { useZone } from '../../platform/time/zone.ts';
import { auditParams, filterNames } from './audit-params.ts';

const pageRows = 200;

/** The page. */
export default function AuditPage() {
  const [search] = usePlaceState();
  const [shown, setShown] = useState<AuditRow | null>(null);
  const audit = useAudit(search, useZone());
  const columns = useMemo(
    () => [
      ...columnsOfActs,
      extractColumn<AuditRow>('change', 'Change', ({ change }) => JSON.stringify(change), setShown),
    ],
    [],
  );
  const list = useMemo(() => audit.data?.pages.flat(), [audit.data]);
  const save = () => download('audit.json', `${JSON.stringify(list, null, 2)}\n`, 'application/json');
  return (
    <Page
      title="Audit"
      lead="Every administrative change. Entries are chained by hashes, so that a removed one is detected."
      actions={
        <Button icon="download" isDisabled={!list?.length} onPress={save}>
          Export the entries shown
        </Button>
      }
      isWide
    >
      <Filters />
      <TableCard
        label="Audit log"
        name="audit"
        of={audit}
        list={list}
        columns={columns}
        idOf={({ seq }) => String(seq)}
        height={fullHeight}
        empty={<EmptyState icon="scroll" title="No entry matches" />}
        foot={
          audit.hasNextPage && (
            <div className="table-foot">
              <Button isPending={audit.isFetchingNextPage} onPress={() => void audit.fetchNextPage()}>
                Load older entries
              </Button>
            </div>
          )
        }
      />
      {shown && <EntryDialog row={shown} onClose={() => setShown(null)} />}
    </Page>
  );
}

function Filters() {
  const [search, change] = usePlaceState();
  const field = (name: string) => ({
    value: search.get(name) ?? '',
    onChange: (value: string) => change({ [name]: value }),
  });
  return (
    <div className="tools">
      {filterNames.map((name) => (
        <TextField key={name} {...field(name)} label={titles[name]} placeholder={examples[name]} />
      ))}
      <TextField {...field('from')} label="From" type="datetime-local" />
      <TextField {...field('until')} label="Until" type="datetime-local" />
    </div>
  );
}

const titles = { action: 'Action', actor: 'By', target: 'Target' } as const;
const examples = { action: 'credential.revoke', actor: 'person:…', target: 'an ID or a name' } as const;

function useAudit(search: URLSearchParams, zone: string) {
  const wanted = auditParams(search, zone);
  return useInfiniteQuery({
    queryKey: ['console.audit.list', wanted],
    queryFn: async ({ pageParam, signal }) => {
      const params = { limit: pageRows, ...wanted, ...(pageParam === 0 ? {} : { before: pageParam }) };
      return (await call('console.audit.list', params, { signal })).rows;
    },
    initialPageParam: 0,
    getNextPageParam: (rows) => (rows.length < pageRows ? undefined : rows.at(-1)?.seq),
  });
}

const columnsOfActs: readonly Column<AuditRow>[] = [
  momentColumn('time', 'Time', { width: '180px' }),
  badgeColumn('action', 'Action', ({ action }) => [action, isRemoval(action) ? 'warn' : 'info'], {
    width: '190px',
  }),
  {
    id: 'actor',
    title: 'By',
    width: '1.4fr',
    cell: ({ actor, actorName }) => <span title={actor}>{actorName ?? actor}</span>,
  },
  {
    id: 'target',
    title: 'Target',
    width: '1.6fr',
    cell: ({ target, targetName }) =>
      targetName ? <span title={target}>{targetName}</span> : <code title={target}>{target}</code>,
  },
  textColumn('origin', 'From', ({ origin }) => origin, { width: '1.2fr' }),
];

function isRemoval(action: string): boolean {
  return /\.(delete|remove|revoke|end)$/.test(action);
}

function EntryDialog({ row, onClose }: { row: AuditRow; onClose(): void }) {
  return (
    <Dialog title={`${row.action}, entry ${row.seq}`} onClose={onClose} isWide>
      <Facts
        facts={[
          ['Time', <Moment key="time" at={row.time} />],
          ['By', row.actorName ? `${row.actorName} (${row.actor})` : row.actor],
          ['From', row.origin],
          ['Target', row.targetName ? `${row.targetName} (${row.target})` : row.target],
        ]}
      />
      <CodeBlock label="Change" text={JSON.stringify(row.change, null, 2)} />
    </Dialog>
  );
}
