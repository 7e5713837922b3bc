/** Making and removing people, and setting their passwords. */
import type { Person } from '@tidemark/client/wire';
import { useState } from 'react';
import { Form } from 'react-aria-components';
import { Button } from '../../parts/button.tsx';
import { ConfirmDialog, Dialog } from '../../parts/dialog.tsx';
import { ChoiceField, TextField } from '../../parts/field.tsx';
import { ErrorNotice } from '../../parts/notice.tsx';
import { tell } from '../../parts/toast.tsx';
import { useRpcChange } from '../../platform/rpc/rpc.ts';
import { fieldError } from '../../platform/rpc/rpc-error.ts';
import type { Role } from '../../platform/session/session.ts';
import { passwordCharactersMin } from '../entry/setup-steps.tsx';

/** What is asked for again after a change of people. */
export const peopleRenewed = ['console.people.list', 'console.sessions.list'] as const;

const passwordHint = `At least ${passwordCharactersMin} characters. Tell it in person; it can be changed after signing in.`;

/** The form for a new person. */
export function NewPersonDialog({ onClose }: { onClose(): void }) {
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const [role, setRole] = useState<Role>('viewer');
  const create = useRpcChange('console.people.create', peopleRenewed);
  const submit = () =>
    create.mutate(
      { name: name.trim(), password, role },
      {
        onSuccess: () => {
          tell(`${name.trim()} may sign in now`);
          onClose();
        },
      },
    );
  return (
    <Dialog title="New person" isOpen onClose={onClose}>
      <Form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <TextField
          label="Name"
          value={name}
          onChange={setName}
          error={fieldError(create.error, 'name')}
          isRequired
          autoFocus
          maxLength={64}
          autoComplete="off"
        />
        <TextField
          label="First password"
          type="password"
          hint={passwordHint}
          value={password}
          onChange={setPassword}
          error={fieldError(create.error, 'password')}
          isRequired
          autoComplete="new-password"
        />
        <ChoiceField<Role>
          label="Role"
          value={role}
          onChange={setRole}
          options={[
            { value: 'viewer', text: 'Viewer', note: 'Looks at everything, changes nothing.' },
            {
              value: 'admin',
              text: 'Administrator',
              note: 'Changes everything, people and credentials too.',
            },
          ]}
        />
        {create.error && <ErrorNotice error={create.error} shown={['name', 'password']} />}
        <div className="form-actions">
          <Button onPress={onClose}>Cancel</Button>
          <Button type="submit" tone="primary" isPending={create.isPending}>
            Create person
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}

/** Sets a new password for a person. */
export function PasswordDialog({ person, onClose }: { person: Person; onClose(): void }) {
  const [password, setPassword] = useState('');
  const update = useRpcChange('console.people.update', peopleRenewed);
  const submit = () =>
    update.mutate(
      { id: person.id, password },
      {
        onSuccess: () => {
          tell(`New password for ${person.name} set`);
          onClose();
        },
      },
    );
  return (
    <Dialog title={`New password for ${person.name}`} isOpen onClose={onClose}>
      <Form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <p>All sessions of {person.name} end.</p>
        <TextField
          label="Password"
          type="password"
          hint={passwordHint}
          value={password}
          onChange={setPassword}
          error={fieldError(update.error, 'password')}
          isRequired
          autoFocus
          autoComplete="new-password"
        />
        {update.error && <ErrorNotice error={update.error} shown={['password']} />}
        <div className="form-actions">
          <Button onPress={onClose}>Cancel</Button>
          <Button type="submit" tone="primary" isPending={update.isPending}>
            Set password
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}

/** Removes a person. */
export function DeletePersonDialog({ person, onClose }: { person: Person; onClose(): void }) {
  const remove = useRpcChange('console.people.delete', peopleRenewed);
  const confirm = () =>
    remove.mutate(
      { id: person.id },
      {
        onSuccess: () => {
          tell(`${person.name} removed`);
          onClose();
        },
      },
    );
  return (
    <ConfirmDialog
      title={`Remove ${person.name}`}
      action="Remove"
      isOpen
      onClose={onClose}
      onConfirm={confirm}
      isPending={remove.isPending}
      error={remove.error}
    >
      <p>All sessions end at once. What {person.name} did stays in the audit.</p>
    </ConfirmDialog>
  );
}
