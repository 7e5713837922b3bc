/** One's own account: password and sessions. */
import { useState } from 'react';
import { Form } from 'react-aria-components';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { ErrorNotice } from '../../parts/notice.tsx';
import { Card, Page } from '../../parts/page.tsx';
import { tell } from '../../parts/toast.tsx';
import { useRpcChange } from '../../platform/rpc/rpc.ts';
import { fieldError } from '../../platform/rpc/rpc-error.ts';
import { usePerson } from '../../platform/session/context.tsx';
import { passwordCharactersMin } from '../entry/setup-steps.tsx';
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

function PasswordCard() {
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const [again, setAgain] = useState('');
  const change = useRpcChange('console.password.change', ['console.sessions.list']);
  const differs = again !== '' && again !== next;
  const submit = () =>
    change.mutate(
      { current, next },
      {
        onSuccess: () => {
          setCurrent('');
          setNext('');
          setAgain('');
          tell('Password changed; your other sessions have ended');
        },
      },
    );
  return (
    <Card title="Password">
      <Form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (next === again) submit();
        }}
      >
        <TextField
          label="Password now"
          type="password"
          value={current}
          onChange={setCurrent}
          error={fieldError(change.error, 'current')}
          autoComplete="current-password"
        />
        <div className="form-grid">
          <TextField
            label="New password"
            type="password"
            hint={`At least ${passwordCharactersMin} characters`}
            value={next}
            onChange={setNext}
            error={fieldError(change.error, 'next')}
            autoComplete="new-password"
          />
          <TextField
            label="New password again"
            type="password"
            value={again}
            onChange={setAgain}
            error={differs ? 'The two passwords differ.' : undefined}
            autoComplete="new-password"
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
      </Form>
    </Card>
  );
}
