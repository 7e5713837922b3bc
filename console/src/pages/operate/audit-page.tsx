/** The audit: who administered what, newest first. */

import { useInfiniteQuery } from '@tanstack/react-query';
import type { AuditRow } from '@tidemark/client/wire';
import { useMemo, useState } from 'react';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { CodeBlock, download } from '../../parts/code-block.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import { EmptyState, ErrorNotice } from '../../parts/notice.tsx';
import { Card, Facts, Page } from '../../parts/page.tsx';
import { DataTable } from '../../parts/table.tsx';
import type { Column } from '../../parts/table-layout.ts';
import { useLocalRows } from '../../parts/table-rows.ts';
import { usePlaceState } from '../../platform/router/place.ts';
import { call } from '../../platform/rpc/rpc.ts';
import { parseCivil } from '../../platform/time/civil.ts';
import { Moment } from '../../platform/time/moment.tsx';
import { useZone } from '../../platform/time/zone.ts';
import './operate.css';

const pageRows = 200;
const filterNames = ['action', 'actor', 'target'] as const;

/** The page. */
export default function AuditPage() {
  const [search, change] = usePlaceState();
  const [shown, setShown] = useState<AuditRow | null>(null);
  const filter = useMemo(
    () =>
      Object.fromEntries(
        filterNames.flatMap((name) => {
          const value = search.get(name)?.trim();
          return value ? [[name, value]] : [];
        }),
      ),
    [search],
  );
  const audit = useAudit(filter, timesOf(search, useZone()));
  const columns = useMemo(() => columnsFor(setShown), []);
  const list = useMemo(() => audit.data?.pages.flat(), [audit.data]);
  const rows = useLocalRows(list, columns);
  const save = () => download('audit.json', `${JSON.stringify(list, null, 2)}\n`, 'application/json');
  return (
    <Page
      title="Audit"
      lead="Every administrative act, chained by hashes so that nothing can be taken out unnoticed."
      actions={
        <Button icon="download" isDisabled={rows.total === 0} onPress={save}>
          Export what is shown
        </Button>
      }
      isWide
    >
      <div className="tools">
        {filterNames.map((name) => (
          <TextField
            key={name}
            label={titles[name]}
            value={search.get(name) ?? ''}
            onChange={(value) => change({ [name]: value })}
            placeholder={examples[name]}
          />
        ))}
        {(['from', 'until'] as const).map((name) => (
          <TextField
            key={name}
            label={name === 'from' ? 'From' : 'Until'}
            type="datetime-local"
            value={search.get(name) ?? ''}
            onChange={(value) => change({ [name]: value })}
          />
        ))}
      </div>
      {audit.error && <ErrorNotice error={audit.error} retry={() => void audit.refetch()} />}
      <Card isFlush>
        <DataTable
          label="Administrative acts"
          name="audit"
          rows={rows}
          columns={columns}
          idOf={({ seq }) => String(seq)}
          empty={<EmptyState icon="scroll" title="No such act" />}
        />
        {audit.hasNextPage && (
          <div className="table-foot">
            <Button isPending={audit.isFetchingNextPage} onPress={() => void audit.fetchNextPage()}>
              Older acts
            </Button>
          </div>
        )}
      </Card>
      {shown && <ActDialog row={shown} onClose={() => setShown(null)} />}
    </Page>
  );
}

const titles = { action: 'Action', actor: 'By', target: 'On' } as const;
const examples = { action: 'credential.revoke', actor: 'person:…', target: 'an ID or a name' } as const;

/** The times of the address, which are those of the chosen zone, as the service takes them. */
function timesOf(search: URLSearchParams, zone: string): { from?: string; until?: string } {
  const read = (name: 'from' | 'until') => {
    const ms = parseCivil(zone, search.get(name) ?? '');
    return ms === null ? {} : { [name]: new Date(ms).toISOString() };
  };
  return { ...read('from'), ...read('until') };
}

function useAudit(filter: Readonly<Record<string, string>>, times: { from?: string; until?: string }) {
  return useInfiniteQuery({
    queryKey: ['console.audit.list', filter, times],
    queryFn: async ({ pageParam, signal }) => {
      const params = { limit: pageRows, filter, ...times, ...(pageParam === 0 ? {} : { before: pageParam }) };
      return (await call('console.audit.list', params, { signal })).rows;
    },
    initialPageParam: 0,
    getNextPageParam: (rows) => (rows.length < pageRows ? undefined : rows.at(-1)?.seq),
  });
}

function columnsFor(show: (row: AuditRow) => void): Column<AuditRow>[] {
  return [
    { id: 'time', title: 'Time', width: '180px', cell: ({ time }) => <Moment at={time} /> },
    {
      id: 'action',
      title: 'Action',
      width: '190px',
      cell: ({ action }) => (
        <Badge tone={/\.(delete|remove|revoke|end)$/.test(action) ? 'warn' : 'info'}>{action}</Badge>
      ),
    },
    {
      id: 'actor',
      title: 'By',
      width: '1.4fr',
      cell: ({ actor, actorName }) => <span title={actor}>{actorName ?? actor}</span>,
    },
    {
      id: 'target',
      title: 'On',
      width: '1.6fr',
      cell: ({ target, targetName }) =>
        targetName ? <span title={target}>{targetName}</span> : <code title={target}>{target}</code>,
    },
    {
      id: 'origin',
      title: 'From',
      width: '1.2fr',
      cell: ({ origin }) => <span title={origin}>{origin}</span>,
    },
    {
      id: 'change',
      title: 'Change',
      width: '2fr',
      cell: (row) => (
        <Button isTiny tone="plain" onPress={() => show(row)}>
          <code className="cut">{JSON.stringify(row.change)}</code>
        </Button>
      ),
    },
  ];
}

function ActDialog({ row, onClose }: { row: AuditRow; onClose(): void }) {
  return (
    <Dialog title={`${row.action}, act ${row.seq}`} isOpen onClose={onClose} isWide>
      <Facts
        facts={[
          ['Time', <Moment key="time" at={row.time} />],
          ['By', `${row.actorName ? `${row.actorName} (${row.actor})` : row.actor}`],
          ['From', row.origin],
          [
            'On',
            row.targetName ? `${row.targetName} (${row.target})` : <code key="target">{row.target}</code>,
          ],
        ]}
      />
      <CodeBlock label="Change" text={JSON.stringify(row.change, null, 2)} />
    </Dialog>
  );
}
