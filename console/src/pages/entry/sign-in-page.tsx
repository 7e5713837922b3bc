/** Signing in. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { PlainForm } from '../../parts/form.tsx';
import { ErrorNotice, Notice } from '../../parts/notice.tsx';
import { useSession } from '../../platform/session/context.tsx';
import { signIn } from '../../platform/session/session.ts';
import { EntryFrame } from './entry-frame.tsx';

/** Name and password. */
export default function SignInPage() {
  const { accept, session } = useSession();
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const entry = useMutation({ mutationFn: () => signIn(name.trim(), password), onSuccess: accept });
  return (
    <EntryFrame title="Sign in">
      {session.hasEnded && (
        <Notice mood="warn">
          Your session has ended. Sign in to continue on the same page; unsaved changes are lost.
        </Notice>
      )}
      <PlainForm onSubmit={() => entry.mutate()}>
        <TextField
          label="Name"
          name="username"
          value={name}
          onChange={setName}
          autoComplete="username"
          isRequired
          autoFocus
        />
        <TextField
          label="Password"
          name="password"
          type="password"
          value={password}
          onChange={setPassword}
          autoComplete="current-password"
          isRequired
        />
        {entry.error && <ErrorNotice error={entry.error} />}
        <Button type="submit" tone="primary" isPending={entry.isPending}>
          Sign in
        </Button>
      </PlainForm>
      <p className="quiet small">
        Forgotten your password? An administrator can set a new one, as can <code>tidemark people</code> on
        the machine of the service.
      </p>
    </EntryFrame>
  );
}
