/** The people who may sign in, for administrators. */
import type { Person } from '@tidemark/client/wire';
import { useMemo, useState } from 'react';
import { Badge } from '../../parts/badge.tsx';
import { badgeColumn, menuColumn, momentColumn } from '../../parts/column-kinds.tsx';
import { DialogButton } from '../../parts/dialog.tsx';
import type { MenuEntry } from '../../parts/menu.tsx';
import { Page } from '../../parts/page.tsx';
import { TableCard } from '../../parts/table-card.tsx';
import type { Column } from '../../parts/table-layout.ts';
import { notify, notifyError } from '../../parts/toast.tsx';
import { useRpc, useRpcChange } from '../../platform/rpc/rpc.ts';
import { usePerson } from '../../platform/session/context.tsx';
import type { Role } from '../../platform/session/session.ts';
import { DeletePersonDialog, NewPersonDialog, PasswordDialog, peopleRenewed } from './people-dialogs.tsx';
import { SessionsCard } from './sessions-card.tsx';

interface Action {
  Dialog: typeof PasswordDialog;
  person: Person;
}

/** The page. */
export default function PeoplePage() {
  const [action, setAction] = useState<Action | null>(null);
  const people = useRpc('console.people.list');
  const columns = useColumns(setAction);
  return (
    <Page
      title="People"
      lead="Who may sign in to this console. Programs use integrations instead."
      actions={
        <DialogButton tone="primary" icon="plus" text="New person">
          {(close) => <NewPersonDialog onClose={close} />}
        </DialogButton>
      }
    >
      <TableCard
        label="People"
        name="people"
        of={people}
        list={people.data?.people}
        sort="name"
        columns={columns}
        idOf={({ id }) => id}
      />
      <SessionsCard title="All sessions" />
      {action && <action.Dialog person={action.person} onClose={() => setAction(null)} />}
    </Page>
  );
}

const roleBadges = { admin: ['administrator', 'warn'], viewer: ['viewer', 'info'] } as const;
const roleTexts = { admin: 'an administrator', viewer: 'a viewer' } as const;

function useColumns(act: (action: Action) => void): Column<Person>[] {
  const me = usePerson();
  const { mutate } = useRpcChange('console.people.update', peopleRenewed);
  return useMemo(() => {
    const roleEntry = ({ id, name, role }: Person): MenuEntry => {
      const next: Role = role === 'admin' ? 'viewer' : 'admin';
      const onSuccess = () => notify(`${name} is ${roleTexts[next]} now`);
      return {
        text: `Make ${roleTexts[next]}`,
        icon: next === 'admin' ? 'shield' : 'eye',
        run: () => mutate({ id, role: next }, { onSuccess, onError: notifyError }),
      };
    };
    const entriesOf = (person: Person) => [
      roleEntry(person),
      {
        text: 'Set a new password …',
        icon: 'key' as const,
        run: () => act({ Dialog: PasswordDialog, person }),
      },
      null,
      {
        text: 'Remove …',
        icon: 'trash' as const,
        isDanger: true,
        isDisabled: person.id === me.id,
        run: () => act({ Dialog: DeletePersonDialog, person }),
      },
    ];
    return [...columnsFor(me.id), { ...menuColumn<Person>(({ name }) => name, entriesOf), isNarrow: true }];
  }, [me.id, mutate, act]);
}

function columnsFor(me: string): Column<Person>[] {
  return [
    {
      id: 'name',
      isNarrow: true,
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
    badgeColumn('role', 'Role', ({ role }) => roleBadges[role], {
      isNarrow: true,
      width: '140px',
      sort: ({ role }) => role,
    }),
    momentColumn('createdAt', 'Since', { sort: ({ createdAt }) => createdAt }),
  ];
}
