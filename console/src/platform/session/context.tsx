/** The session for every component below, and the ways to change it. */
import { type Query, useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useMemo } from 'react';
import { setCsrfToken } from '../rpc/rpc.ts';
import { setInstanceZone } from '../time/zone.ts';
import { type Person, readSession, type Session, signOut } from './session.ts';

/** What components see of the session. */
export interface SessionContext {
  session: Session;
  /** Takes over what set-up or sign-in answered. */
  accept(session: Session): void;
  leave(): Promise<void>;
  /** Asks the service again: it may have ended the session. */
  refresh(): void;
}

const Context = createContext<SessionContext | null>(null);

const key = ['session'];

const isAnswer = ({ queryKey }: Query) => queryKey[0] !== key[0];

interface SessionProviderProps {
  children: ReactNode;
  pending: ReactNode;
  failed: (error: Error, retry: () => void) => ReactNode;
}

/** Requests the session and provides it to `children`; shows `pending` and `failed` in the other states. */
export function SessionProvider({ children, pending, failed }: SessionProviderProps) {
  const queries = useQueryClient();
  const query = useQuery({
    queryKey: key,
    queryFn: takeSession,
    staleTime: Number.POSITIVE_INFINITY,
    retry: 1,
  });
  const session = query.data;
  // Answers to one session are not shown in the next one, which may be another person's.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the token is what names a session
  useEffect(() => () => void queries.resetQueries({ predicate: isAnswer }), [session?.csrfToken, queries]);
  const value = useMemo<SessionContext | null>(() => {
    if (!session) return null;
    const accept = (next: Session) => {
      queries.setQueryData(key, taken(next));
    };
    const refresh = () => void queries.invalidateQueries({ queryKey: key });
    const leave = async () => {
      await signOut(session.csrfToken);
      wasSignedIn = false;
      accept(await readSession());
    };
    return { session, accept, leave, refresh };
  }, [session, queries]);
  if (value) return <Context value={value}>{children}</Context>;
  return query.error ? failed(query.error, () => void query.refetch()) : pending;
}

/** The session and its changes. */
export function useSession(): SessionContext {
  const value = useContext(Context);
  if (!value) throw new Error('useSession outside of SessionProvider');
  return value;
}

/** The person who is signed in; only below the gate that requires a signed-in person. */
export function usePerson(): Person {
  const { person } = useSession().session;
  if (!person) throw new Error('usePerson without a signed-in person');
  return person;
}

/** Whether the person may change things. */
export function useIsAdmin(): boolean {
  return usePerson().role === 'admin';
}

async function takeSession(): Promise<Session> {
  return taken(await readSession());
}

function taken(session: Session): Session {
  setCsrfToken(session.csrfToken);
  setInstanceZone(session.instance.timeZone);
  const hasEnded = wasSignedIn && session.status === 'anonymous';
  wasSignedIn = session.status === 'signed-in' || hasEnded;
  const color = session.instance.color || usualColor;
  return { ...session, hasEnded, instance: { ...session.instance, color } };
}

/** Until the person signs out; then an anonymous session is no surprise. */
let wasSignedIn = false;

const usualColor = '#0b7285';
