/** The overview: how the service is, what flows through it, and what to do next while it is new. */

import type { IntegrationFigures, Overview } from '@tidemark/client/wire';
import { Badge } from '../../parts/badge.tsx';
import { Bars } from '../../parts/bars.tsx';
import { LinkButton } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { ErrorNotice, Waiting } from '../../parts/notice.tsx';
import { printBytes, printCount, printNumberOf, printShort } from '../../parts/number.ts';
import { Card, Page } from '../../parts/page.tsx';
import { href } from '../../platform/router/place.ts';
import { useRpc } from '../../platform/rpc/rpc.ts';
import { useIsAdmin } from '../../platform/session/context.tsx';
import { printDuration } from '../../platform/time/age.ts';
import { Age } from '../../platform/time/moment.tsx';
import { HealthBadge } from '../operate/health.tsx';
import { printMs } from '../operate/milliseconds.ts';
import { SilentCard } from './silent-card.tsx';
import { StoreCard } from './store-card.tsx';
import './overview.css';

/** The first page. */
export default function OverviewPage() {
  const overview = useRpc('console.overview', {}, { refetchMs: 5000 });
  return (
    <Page title="Overview" actions={<HealthBadge />}>
      {overview.error && <ErrorNotice error={overview.error} retry={() => void overview.refetch()} />}
      {overview.data ? <Figures overview={overview.data} /> : !overview.error && <Waiting />}
    </Page>
  );
}

function Figures({ overview }: { overview: Overview }) {
  const { integrations, store, points, requestsToday, rejectedToday, pointsPerS, durations } = overview;
  const rejected =
    rejectedToday > 0
      ? `${printCount(rejectedToday)} refused by plans`
      : printNumberOf(requestsToday, 'call');
  return (
    <>
      {store.items === 0 && <FirstSteps overview={overview} />}
      <dl className="stats">
        <Stat title="Points today" value={printShort(points.today)} note={rejected} />
        <Stat title="Rate" value={`${printRate(pointsPerS)}/s`} note="points, over the last minute" />
        <Stat
          title="Signals"
          value={printCount(store.signals)}
          note={
            <>
              <a href={href('/items')}>{printNumberOf(store.items, 'item')}</a> published
            </>
          }
          to={href('/signals')}
        />
        <Stat
          title="Integrations"
          value={printCount(integrations)}
          note="programs that write or read"
          to={href('/integrations')}
        />
        <Stat
          title="Queries"
          value={durations.read === null ? '–' : printMs(durations.read.medianMs)}
          note={durations.read === null ? 'no query yet' : `median; p95 ${printMs(durations.read.p95Ms)}`}
          to={href('/activity')}
        />
        <Stat title="Store" value={printBytes(store.bytes)} note={<Waits overview={overview} />} />
      </dl>
      <Card title="Points accepted" note="The last seven days, in UTC">
        <Bars
          label="Points accepted by day"
          unit="point"
          bars={points.days.map(({ day, points: value }) => ({ label: shortDay(day), value }))}
        />
      </Card>
      <Integrations />
      <Service overview={overview} />
    </>
  );
}

function Stat({
  title,
  value,
  note,
  to,
}: {
  title: string;
  value: string;
  note: React.ReactNode;
  to?: string;
}) {
  return (
    <div className="stat">
      <dt>{to ? <a href={to}>{title}</a> : title}</dt>
      <dd>{value}</dd>
      <dd className="note">{note}</dd>
    </div>
  );
}

/** The backlog of the disk, if there is one. */
function Waits({ overview: { queues } }: { overview: Overview }) {
  const { queueBytes, waiting } = queues;
  if (queueBytes > 0) return `${printBytes(queueBytes)} wait for the disk`;
  return waiting > 0 ? `${printNumberOf(waiting, 'call')} wait` : 'all files together; no backlog';
}

/** What the integrations do, and what they have stored. */
function Integrations() {
  const list = useRpc('console.integrations.list', {}, { refetchMs: 15_000 });
  const integrations = list.data?.integrations ?? [];
  if (integrations.length === 0) return null;
  const names = new Map(integrations.map(({ id, name }) => [id, name]));
  return (
    <>
      <SilentCard names={names} />
      <Latest integrations={integrations} />
      <StoreCard names={names} />
    </>
  );
}

/** The integrations that were seen last. */
function Latest({ integrations }: { integrations: readonly IntegrationFigures[] }) {
  const latest = integrations
    .toSorted((a, b) => (b.lastSeenAt ?? '').localeCompare(a.lastSeenAt ?? ''))
    .slice(0, 6);
  return (
    <Card title="Integrations" actions={<a href={href('/integrations')}>All</a>} isFlush>
      <ul className="lines">
        {latest.map(({ id, name, lastSeenAt, pointsToday, rejectedToday, errors, disabledAt }) => (
          <li key={id}>
            <a className="grow cut table-name" href={href(`/integrations/${id}`)}>
              {name}
            </a>
            {disabledAt !== null && (
              <Badge tone="warn" icon="pause">
                disabled
              </Badge>
            )}
            {rejectedToday > 0 && <Badge tone="bad">{printCount(rejectedToday)} refused</Badge>}
            {errors > 0 && <Badge tone="bad">{printNumberOf(errors, 'error')}</Badge>}
            <span className="quiet figures">{printShort(pointsToday)} points today</span>
            <span className="figures lines-age">
              <Age at={lastSeenAt} />
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Service({ overview: { version, uptimeS, memoryBytes } }: { overview: Overview }) {
  return (
    <p className="quiet small">
      Tidemark {version}, up for {printDuration(uptimeS * 1000)}, {printBytes(memoryBytes)} of memory
    </p>
  );
}

/** Until something is published: what the next step is. */
function FirstSteps({ overview: { integrations, store } }: { overview: Overview }) {
  const isAdmin = useIsAdmin();
  if (!isAdmin) return null;
  const steps = [
    {
      title: 'Create an integration',
      text: 'It stands for the program that sends data, and holds its credentials.',
      isDone: integrations > 0,
      to: href('/integrations'),
    },
    {
      title: 'Send data',
      text: 'Paste a snippet for curl, Python, Telegraf, Node-RED or mosquitto; signals appear by themselves.',
      isDone: store.signals > 0,
      to: href('/integrations'),
    },
    {
      title: 'Publish signals',
      text: 'They become items, which readers see, charts draw and formulas use.',
      isDone: false,
      to: href('/publish'),
    },
  ];
  const next = steps.findIndex(({ isDone }) => !isDone);
  return (
    <Card title="Getting started">
      <ol className="first-steps">
        {steps.map(({ title, text, isDone, to }, i) => (
          <li key={title} className={isDone ? 'done' : i === next ? 'next' : ''}>
            <span className="step-number">{isDone ? <Icon name="check" size={14} /> : i + 1}</span>
            <div className="grow">
              <h3>{title}</h3>
              <p className="quiet">{text}</p>
            </div>
            {i === next && (
              <LinkButton to={to} tone="primary">
                Go
              </LinkButton>
            )}
          </li>
        ))}
      </ol>
    </Card>
  );
}

function printRate(perS: number): string {
  return perS < 10 ? perS.toFixed(1) : printShort(perS);
}

/** `Fri 20` of `2026-11-20`. */
function shortDay(day: string): string {
  const date = new Date(`${day}T00:00:00Z`);
  return new Intl.DateTimeFormat(undefined, { weekday: 'short', day: 'numeric', timeZone: 'UTC' }).format(
    date,
  );
}
