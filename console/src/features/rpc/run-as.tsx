/** Who a call is made as: oneself, or an integration. */
import { useEffect, useRef, useState } from 'react';
import { SelectField } from '../../parts/field.tsx';
import { useRpc } from '../../platform/rpc/rpc.ts';
import { useIsAdmin, usePerson } from '../../platform/session/context.tsx';
import { Acting } from './acting.ts';

/** The choice: null is oneself. */
export interface RunAs {
  acting: Acting | null;
  choose(integration: string | null): void;
}

/** Keeps the choice while the page is there; what was made for it goes with it. */
export function useRunAs(): RunAs {
  const [acting, setActing] = useState<Acting | null>(null);
  const latest = useRef<Acting>(undefined);
  const choose = (integration: string | null) => {
    latest.current?.end();
    latest.current = integration === null ? undefined : new Acting(integration);
    setActing(latest.current ?? null);
  };
  useEffect(() => {
    const end = () => latest.current?.end();
    addEventListener('pagehide', end);
    return () => {
      removeEventListener('pagehide', end);
      end();
    };
  }, []);
  return { acting, choose };
}

const self = 'self';

/** The field; for administrators, who alone may make credentials. */
export function RunAsField({ runAs: { acting, choose } }: { runAs: RunAs }) {
  const isAdmin = useIsAdmin();
  const person = usePerson();
  const list = useRpc('console.integrations.list', {}, { isEnabled: isAdmin });
  if (!isAdmin) return null;
  const others = list.data?.integrations.map(({ id, name }) => ({
    value: id,
    text: name,
    note: 'integration',
  }));
  return (
    <SelectField
      label="Run as"
      value={acting?.integration ?? self}
      onChange={(value) => choose(value === self ? null : value)}
      options={[{ value: self, text: person.name, note: 'you' }, ...(others ?? [])]}
      hint={
        acting &&
        'The first call creates a credential of the integration that is valid for 15 minutes. It is revoked when you leave this page; the audit log lists both.'
      }
    />
  );
}
