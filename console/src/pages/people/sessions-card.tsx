/** The sessions: the person's own, and for administrators those of all people. */
import type { Session } from '@tidemark/client/wire';
import { useMemo } from 'react';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { ErrorNotice } from '../../parts/notice.tsx';
import { Card } from '../../parts/page.tsx';
import { DataTable, RowActions } from '../../parts/table.tsx';
import type { Column } from '../../parts/table-layout.ts';
import { useLocalRows } from '../../parts/table-rows.ts';
import { tell, tellError } from '../../parts/toast.tsx';
import { useRpc, useRpcChange } from '../../platform/rpc/rpc.ts';
import { usePerson } from '../../platform/session/context.tsx';
import { Age } from '../../platform/time/moment.tsx';

/** The card; with `isOwn` only the sessions of the signed-in person. */
export function SessionsCard({ title, isOwn = false }: { title: string; isOwn?: boolean }) {
  const me = usePerson();
  const sessions = useRpc('console.sessions.list');
  const revoke = useRpcChange('console.sessions.revoke', ['console.sessions.list']);
  const list = useMemo(
    () => sessions.data?.sessions.filter(({ person }) => !isOwn || person.id === me.id),
    [sessions.data, isOwn, me.id],
  );
  const columns = useMemo(() => {
    const end = ({ id }: Session) =>
      revoke.mutate({ id }, { onSuccess: () => tell('Session ended'), onError: tellError });
    return columnsFor(isOwn, end);
  }, [isOwn, revoke.mutate]);
  const rows = useLocalRows(list, columns, '-usedAt');
  return (
    <Card title={title} isFlush>
      {sessions.error && <ErrorNotice error={sessions.error} />}
      <DataTable
        label={title}
        name={isOwn ? 'own-sessions' : 'sessions'}
        rows={rows}
        columns={columns}
        idOf={({ id }) => id}
        height="420px"
        empty={null}
      />
    </Card>
  );
}

function columnsFor(isOwn: boolean, end: (row: Session) => void): Column<Session>[] {
  const who: Column<Session> = {
    id: 'person',
    title: 'Person',
    width: '1.4fr',
    sort: ({ person }) => person.name,
    cell: ({ person }) => <span className="table-name">{person.name}</span>,
  };
  return [
    ...(isOwn ? [] : [who]),
    {
      id: 'device',
      title: 'Browser',
      width: '2fr',
      cell: ({ userAgent, current }) => (
        <>
          <span title={userAgent}>{browserOf(userAgent)}</span>
          {current && <Badge tone="good">this one</Badge>}
        </>
      ),
    },
    { id: 'address', title: 'From', width: '1.2fr', cell: ({ address }) => <code>{address}</code> },
    {
      id: 'usedAt',
      title: 'Last active',
      width: '110px',
      sort: ({ usedAt }) => usedAt,
      cell: ({ usedAt }) => <Age at={usedAt} />,
    },
    {
      id: 'createdAt',
      title: 'Signed in',
      width: '110px',
      sort: ({ createdAt }) => createdAt,
      cell: ({ createdAt }) => <Age at={createdAt} />,
    },
    { id: 'expiresAt', title: 'Ends', width: '110px', cell: ({ expiresAt }) => <Age at={expiresAt} /> },
    {
      id: 'actions',
      title: 'Actions',
      isTitleHidden: true,
      width: '100px',
      cell: (row) =>
        row.current ? null : (
          <RowActions>
            <Button isTiny tone="danger" onPress={() => end(row)}>
              Sign out
            </Button>
          </RowActions>
        ),
    },
  ];
}

/** `Firefox on Linux`, as well as the text gives it away. */
function browserOf(userAgent: string): string {
  const browser = /(Firefox|Edg|OPR|Chrome|Safari)\//.exec(userAgent)?.[1];
  const system = /(Windows|Android|iPhone|iPad|Mac OS X|Linux)/.exec(userAgent)?.[1];
  const names: Readonly<Record<string, string>> = { Edg: 'Edge', OPR: 'Opera', 'Mac OS X': 'macOS' };
  if (!browser) return userAgent.slice(0, 40) || 'unknown';
  return `${names[browser] ?? browser}${system ? ` on ${names[system] ?? system}` : ''}`;
}
