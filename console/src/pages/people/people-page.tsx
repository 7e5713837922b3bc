/** The people who may sign in, for administrators. */
import type { Person } from '@tidemark/client/wire';
import { useMemo, useState } from 'react';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Menu } from '../../parts/menu.tsx';
import { ErrorNotice } from '../../parts/notice.tsx';
import { Card, Page } from '../../parts/page.tsx';
import { DataTable, RowActions } from '../../parts/table.tsx';
import type { Column } from '../../parts/table-layout.ts';
import { useLocalRows } from '../../parts/table-rows.ts';
import { tell, tellError } from '../../parts/toast.tsx';
import { useRpc, useRpcChange } from '../../platform/rpc/rpc.ts';
import { usePerson } from '../../platform/session/context.tsx';
import type { Role } from '../../platform/session/session.ts';
import { Moment } from '../../platform/time/moment.tsx';
import { DeletePersonDialog, NewPersonDialog, PasswordDialog, peopleRenewed } from './people-dialogs.tsx';
import { SessionsCard } from './sessions-card.tsx';

type Doing = { what: 'new' } | { what: 'password' | 'delete'; person: Person };

/** The page. */
export default function PeoplePage() {
  const me = usePerson();
  const [doing, setDoing] = useState<Doing | null>(null);
  const people = useRpc('console.people.list');
  const update = useRpcChange('console.people.update', peopleRenewed);
  const columns = useMemo(() => {
    const setRole = (person: Person, role: Role) =>
      update.mutate(
        { id: person.id, role },
        { onSuccess: () => tell(`${person.name} is ${roleTexts[role]} now`), onError: tellError },
      );
    return columnsFor(me.id, setDoing, setRole);
  }, [me.id, update.mutate]);
  const rows = useLocalRows(people.data?.people, columns, 'name');
  const close = () => setDoing(null);
  return (
    <Page
      title="People"
      lead="Who may sign in to this console. Programs use integrations instead."
      actions={
        <Button tone="primary" icon="plus" onPress={() => setDoing({ what: 'new' })}>
          New person
        </Button>
      }
    >
      {people.error && <ErrorNotice error={people.error} retry={() => void people.refetch()} />}
      <Card isFlush>
        <DataTable
          label="People"
          name="people"
          rows={rows}
          columns={columns}
          idOf={({ id }) => id}
          height="420px"
          empty={null}
        />
      </Card>
      <SessionsCard title="Sessions of everybody" />
      {doing?.what === 'new' && <NewPersonDialog onClose={close} />}
      {doing?.what === 'password' && <PasswordDialog person={doing.person} onClose={close} />}
      {doing?.what === 'delete' && <DeletePersonDialog person={doing.person} onClose={close} />}
    </Page>
  );
}

const roleTexts = { admin: 'an administrator', viewer: 'a viewer' } as const;

function columnsFor(
  me: string,
  act: (doing: Doing) => void,
  setRole: (person: Person, role: Role) => void,
): Column<Person>[] {
  return [
    {
      id: 'name',
      title: 'Name',
      width: '2fr',
      sort: ({ name }) => name,
      cell: ({ id, name }) => (
        <>
          <span className="table-name">{name}</span>
          {id === me && <Badge>you</Badge>}
        </>
      ),
    },
    {
      id: 'role',
      title: 'Role',
      sort: ({ role }) => role,
      cell: ({ role }) =>
        role === 'admin' ? <Badge tone="warn">administrator</Badge> : <Badge tone="info">viewer</Badge>,
    },
    {
      id: 'createdAt',
      title: 'Since',
      width: '1.6fr',
      sort: ({ createdAt }) => createdAt,
      cell: ({ createdAt }) => <Moment at={createdAt} />,
    },
    {
      id: 'actions',
      title: 'Actions',
      isTitleHidden: true,
      width: '60px',
      cell: (person) => (
        <RowActions>
          <Menu
            label={`Actions for ${person.name}`}
            isTiny
            entries={[
              person.role === 'admin'
                ? { text: 'Make a viewer', icon: 'eye', run: () => setRole(person, 'viewer') }
                : { text: 'Make an administrator', icon: 'shield', run: () => setRole(person, 'admin') },
              { text: 'Set a new password …', icon: 'key', run: () => act({ what: 'password', person }) },
              null,
              {
                text: 'Remove …',
                icon: 'trash',
                isDanger: true,
                isDisabled: person.id === me,
                run: () => act({ what: 'delete', person }),
              },
            ]}
          />
        </RowActions>
      ),
    },
  ];
}
