/** One's own account: password and sessions. */
import { useState } from 'react';
import { boundTo } from '../../parts/bound.ts';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { PlainForm } from '../../parts/form.tsx';
import { ErrorNotice } from '../../parts/notice.tsx';
import { Card, Page } from '../../parts/page.tsx';
import { notify } from '../../parts/toast.tsx';
import { useRpcChange } from '../../platform/rpc/rpc.ts';
import { fieldError } from '../../platform/rpc/rpc-error.ts';
import { usePerson } from '../../platform/session/context.tsx';
import { passwordCharactersMin } from '../entry/draft.ts';
import { SessionsCard } from './sessions-card.tsx';

/** The page. */
export default function AccountPage() {
  const person = usePerson();
  const role = person.role === 'admin' ? 'administrator' : 'viewer';
  return (
    <Page title="Account" lead={`${person.name}, ${role}`}>
      <PasswordCard />
      <SessionsCard title="Your sessions" isOwn />
    </Page>
  );
}

const noPasswords = { current: '', next: '', again: '' };

function PasswordCard() {
  const [typed, setTyped] = useState(noPasswords);
  const { current, next, again } = typed;
  const change = useRpcChange('console.password.change', ['console.sessions.list'], () => {
    setTyped(noPasswords);
    notify('Password changed; your other sessions have ended');
  });
  const of = boundTo(typed, (part) => setTyped({ ...typed, ...part }));
  const field = (name: keyof typeof noPasswords) => ({
    type: 'password' as const,
    ...of(name),
    autoComplete: name === 'current' ? 'current-password' : 'new-password',
  });
  return (
    <Card title="Password">
      <PlainForm onSubmit={() => next === again && change.mutate({ current, next })}>
        <TextField
          {...field('current')}
          label="Current password"
          error={fieldError(change.error, 'current')}
        />
        <div className="form-grid">
          <TextField
            {...field('next')}
            label="New password"
            hint={`At least ${passwordCharactersMin} characters`}
            error={fieldError(change.error, 'next')}
          />
          <TextField
            {...field('again')}
            label="New password again"
            error={again !== '' && again !== next ? 'The two passwords differ.' : undefined}
          />
        </div>
        {change.error && <ErrorNotice error={change.error} shown={['current', 'next']} />}
        <div className="form-actions">
          <Button
            type="submit"
            tone="primary"
            isPending={change.isPending}
            isDisabled={current === '' || next === '' || next !== again}
          >
            Change password
          </Button>
        </div>
      </PlainForm>
    </Card>
  );
}
