/** The sessions: the person's own, and for administrators those of all people. */
import type { Session } from '@tidemark/client/wire';
import { useMemo } from 'react';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { ageColumn, lastColumn, textColumn } from '../../parts/column-kinds.tsx';
import { TableCard } from '../../parts/table-card.tsx';
import type { Column } from '../../parts/table-layout.ts';
import { notify, notifyError } from '../../parts/toast.tsx';
import { useRpc, useRpcChange } from '../../platform/rpc/rpc.ts';
import { usePerson } from '../../platform/session/context.tsx';
import { browserOf } from './browser.ts';

/** The card; with `isOwn` only the sessions of the signed-in person. */
export function SessionsCard({ title, isOwn = false }: { title: string; isOwn?: boolean }) {
  const me = usePerson();
  const sessions = useRpc('console.sessions.list');
  const { mutate } = useRpcChange('console.sessions.revoke', ['console.sessions.list'], () =>
    notify('Session ended'),
  );
  const list = useMemo(
    () => sessions.data?.sessions.filter(({ person }) => !isOwn || person.id === me.id),
    [sessions.data, isOwn, me.id],
  );
  const columns = useMemo(() => {
    const end = ({ id }: Session) => mutate({ id }, { onError: notifyError });
    return [...(isOwn ? [] : [personColumn]), ...sessionColumns, endColumn(end)];
  }, [isOwn, mutate]);
  return (
    <TableCard
      title={title}
      name={isOwn ? 'own-sessions' : 'sessions'}
      of={sessions}
      list={list}
      sort="-usedAt"
      columns={columns}
      idOf={({ id }) => id}
    />
  );
}

const nameOf = ({ person }: Session) => person.name;

const personColumn = textColumn('person', 'Person', nameOf, { isName: true, width: '1.4fr', sort: nameOf });

const sessionColumns: readonly Column<Session>[] = [
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
  ageColumn('usedAt', 'Last active', { width: '110px' }),
  ageColumn('createdAt', 'Signed in', { width: '110px' }),
  ageColumn('expiresAt', 'Expires', { width: '110px' }),
];

function endColumn(end: (session: Session) => void): Column<Session> {
  return lastColumn(
    '100px',
    (session) =>
      !session.current && (
        <Button isTiny tone="danger" onPress={() => end(session)}>
          Sign out
        </Button>
      ),
  );
}
