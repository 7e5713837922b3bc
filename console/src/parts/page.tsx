/** The frame of a page: its title, which takes the focus when the page opens, actions, and cards. */
import { type ReactNode, useEffect, useRef } from 'react';
import { useSession } from '../platform/session/context.tsx';

/** What {@link Page} takes. */
export interface PageProps {
  title: string;
  lead?: ReactNode;
  back?: { to: string; text: string };
  actions?: ReactNode;
  children: ReactNode;
  /** Takes the whole width, for tables and charts. */
  isWide?: boolean;
}

/** A page below its head. */
export function Page({ title, lead, back, actions, children, isWide = false }: PageProps) {
  return (
    <div className={isWide ? 'page wide' : 'page'}>
      <header className="page-head">
        <div className="grow stack-tight">
          {back && (
            <a className="back" href={back.to}>
              ← {back.text}
            </a>
          )}
          <PageTitle title={title} />
          {lead && <div className="quiet">{lead}</div>}
        </div>
        {actions && <div className="line page-actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

/** The title of the page and of the window. It takes the focus when the page is new, so that it is read out. */
export function PageTitle({ title }: { title: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { session } = useSession();
  useEffect(() => {
    document.title = `${title} · ${session.instance.name}`;
  }, [title, session.instance.name]);
  useEffect(() => {
    if (document.activeElement === document.body || document.activeElement === null) heading.current?.focus();
  }, []);
  return (
    <h1 ref={heading} tabIndex={-1} className="break">
      {title}
    </h1>
  );
}

interface CardProps {
  title?: string;
  note?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
  /** Without padding: for tables. */
  isFlush?: boolean;
}

/** A part of a page with a head of its own. */
export function Card({ title, actions, children, isFlush = false, note }: CardProps) {
  return (
    <section className="card" aria-label={title}>
      {title && (
        <div className="card-head">
          <div>
            <h2>{title}</h2>
            {note && <p className="quiet small">{note}</p>}
          </div>
          {actions && <div className="line">{actions}</div>}
        </div>
      )}
      <div className={isFlush ? 'card-body flush' : 'card-body'}>{children}</div>
    </section>
  );
}

/** One name with its value. */
export type Fact = readonly [string, ReactNode];

/** Names and values below each other. */
export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl className="facts">
      {facts.map(([name, value]) => (
        <div key={name} className="fact">
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

interface StatProps {
  title: string;
  note?: ReactNode;
  to?: string;
  children: ReactNode;
}

/** A figure with its name, and a note below; with `to` the name is a link. For `<dl className="stats">`. */
export function Stat({ title, note, to, children }: StatProps) {
  return (
    <div className="stat">
      <dt>{to ? <a href={to}>{title}</a> : title}</dt>
      <dd>{children}</dd>
      <dd className="note">{note}</dd>
    </div>
  );
}
