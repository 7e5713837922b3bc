/** Messages in the page: notes, warnings, and errors with their trace IDs. */
import type { ReactNode } from 'react';
import { messageOf, RpcError } from '../platform/rpc/rpc-error.ts';
import { Button } from './button.tsx';
import { Icon, type IconName } from './icon.tsx';

/** The kind of a message. */
export type Mood = 'info' | 'good' | 'warn' | 'bad';

const icons = { info: 'info', good: 'check', warn: 'warn', bad: 'warn' } as const;

interface NoticeProps {
  mood?: Mood;
  children: ReactNode;
  action?: ReactNode;
}

/** A message in the page. */
export function Notice({ mood = 'info', children, action }: NoticeProps) {
  return (
    <div className={`notice tone ${mood}`} role={mood === 'bad' ? 'alert' : undefined}>
      <Icon name={icons[mood]} />
      <div className="break">{children}</div>
      {action}
    </div>
  );
}

interface ErrorNoticeProps {
  error: unknown;
  retry?: () => void;
  /** Parameter paths whose messages are shown at their fields. */
  shown?: readonly string[] | undefined;
}

/** An error in the page: the message, those of the parameters that no field shows, and the trace id. */
export function ErrorNotice({ error, retry, shown = [] }: ErrorNoticeProps) {
  const again = retry && (
    <Button isTiny icon="refresh" onPress={retry}>
      Try again
    </Button>
  );
  return (
    <Notice mood="bad" action={again}>
      <ErrorText error={error} shown={shown} />
    </Notice>
  );
}

/** The errors of single parameters, by path. */
export function ParamErrors({ params }: { params: readonly (readonly [string, readonly string[]])[] }) {
  if (params.length === 0) return null;
  return (
    <ul>
      {params.map(([path, messages]) => (
        <li key={path}>
          <code>{path}</code> {messages.join('; ')}
        </li>
      ))}
    </ul>
  );
}

/** The words of an error. */
export function ErrorText({ error, shown = [] }: { error: unknown; shown?: readonly string[] }) {
  const facts = error instanceof RpcError ? error : null;
  const params = Object.entries(facts?.params ?? {}).filter(([path]) => !shown.includes(path));
  return (
    <>
      <p>{messageOf(error)}</p>
      <ParamErrors params={params} />
      {facts?.trace && (
        <p className="quiet small">
          Trace <code className="break">{facts.trace}</code>: the log of the service has more under it.
        </p>
      )}
    </>
  );
}

/** An answer of the service; a query is one. */
export interface Answered<T> {
  data: T | undefined;
  error: Error | null;
  isPending: boolean;
  refetch(): unknown;
}

/** The content of an answer; a placeholder while it is loading; its error with a button that retries. */
export function Answer<T>({ of, children }: { of: Answered<T>; children(data: T): ReactNode }) {
  return (
    <>
      <Failure of={of} />
      {of.isPending && <Waiting />}
      {of.data !== undefined && children(of.data)}
    </>
  );
}

/** The error of a call, if there is one, with a button that retries. */
export function Failure({ of: { error, refetch } }: { of: Pick<Answered<unknown>, 'error' | 'refetch'> }) {
  return error && <ErrorNotice error={error} retry={() => void refetch()} />;
}

/** A placeholder while content is loading. */
export function Waiting({ label = 'Loading' }: { label?: string }) {
  return (
    <div className="waiting" role="status">
      <span className="spinner" aria-hidden="true" />
      <span className="hidden-text">{label}</span>
    </div>
  );
}

interface EmptyStateProps {
  icon: IconName;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}

/** A placeholder for an empty list, which says how to add the first entry. */
export function EmptyState({ icon, title, children, action }: EmptyStateProps) {
  return (
    <div className="empty">
      <Icon name={icon} size={40} />
      <h2>{title}</h2>
      {children && <div className="stack-tight">{children}</div>}
      {action && <div className="line">{action}</div>}
    </div>
  );
}
