/** Creating and removing people, and setting their passwords. */
import type { Person } from '@tidemark/client/wire';
import { useState } from 'react';
import { ChoiceField, TextField } from '../../parts/field.tsx';
import { ConfirmDialog, FormDialog, NameField, useDialogCall } from '../../parts/form.tsx';
import { fieldError } from '../../platform/rpc/rpc-error.ts';
import type { Role } from '../../platform/session/session.ts';
import { passwordCharactersMin } from '../entry/draft.ts';

/** The answers that a change of people renews. */
export const peopleRenewed = ['console.people.list', 'console.sessions.list'] as const;

const passwordHint = `At least ${passwordCharactersMin} characters. Hand it over in person; it can be changed after signing in.`;

const roles = [
  { value: 'viewer', text: 'Viewer', note: 'Sees everything, changes nothing.' },
  { value: 'admin', text: 'Administrator', note: 'Changes everything, including people and credentials.' },
] as const;

/** The form for a new person. */
export function NewPersonDialog({ onClose }: { onClose(): void }) {
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const [role, setRole] = useState<Role>('viewer');
  const done = `${name.trim()} can sign in now`;
  const create = useDialogCall('console.people.create', peopleRenewed, done, onClose);
  return (
    <FormDialog
      title="New person"
      action="Create person"
      sending={create}
      shown={['name', 'password']}
      onSubmit={() => create.mutate({ name: name.trim(), password, role })}
      onClose={onClose}
    >
      <NameField value={name} onChange={setName} error={create.error} maxLength={64} autoComplete="off" />
      <NewPassword label="First password" value={password} onChange={setPassword} error={create.error} />
      <ChoiceField<Role> label="Role" value={role} onChange={setRole} options={roles} />
    </FormDialog>
  );
}

/** Sets a new password for a person. */
export function PasswordDialog({ person: { id, name }, onClose }: { person: Person; onClose(): void }) {
  const [password, setPassword] = useState('');
  const done = `New password for ${name} set`;
  const update = useDialogCall('console.people.update', peopleRenewed, done, onClose);
  return (
    <FormDialog
      title={`New password for ${name}`}
      action="Set password"
      sending={update}
      shown={['password']}
      onSubmit={() => update.mutate({ id, password })}
      onClose={onClose}
    >
      <p>This ends all sessions of {name}.</p>
      <NewPassword label="Password" value={password} onChange={setPassword} error={update.error} />
    </FormDialog>
  );
}

interface NewPasswordProps {
  label: string;
  value: string;
  onChange(password: string): void;
  error: unknown;
}

function NewPassword({ error, ...field }: NewPasswordProps) {
  return (
    <TextField
      {...field}
      type="password"
      hint={passwordHint}
      error={fieldError(error, 'password')}
      isRequired
      autoComplete="new-password"
    />
  );
}

/** Removes a person. */
export function DeletePersonDialog({ person: { id, name }, onClose }: { person: Person; onClose(): void }) {
  const remove = useDialogCall('console.people.delete', peopleRenewed, `${name} removed`, onClose);
  return (
    <ConfirmDialog
      title={`Remove ${name}`}
      action="Remove"
      sending={remove}
      onSubmit={() => remove.mutate({ id })}
      onClose={onClose}
    >
      <p>This ends all sessions of {name}. Entries in the audit log stay.</p>
    </ConfirmDialog>
  );
}
