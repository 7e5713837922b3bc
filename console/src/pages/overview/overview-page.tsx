/** The overview: health, figures, integrations, and the first steps on a new instance. */
import type { IntegrationFigures, Overview } from '@tidemark/client/wire';
import { Badge } from '../../parts/badge.tsx';
import { Bars } from '../../parts/bars.tsx';
import { LinkButton } from '../../parts/button.tsx';
import { Answer } from '../../parts/notice.tsx';
import { printBytes, printCount, printNumberOf, printShort } from '../../parts/number.ts';
import { Card, Page, Stat } from '../../parts/page.tsx';
import { type StepEntry, StepList } from '../../parts/step-list.tsx';
import { type StepState, statesOf } from '../../parts/step-states.ts';
import { href } from '../../platform/router/place.ts';
import { useRpc } from '../../platform/rpc/rpc.ts';
import { useIsAdmin } from '../../platform/session/context.tsx';
import { printDuration } from '../../platform/time/age.ts';
import { Age } from '../../platform/time/moment.tsx';
import { DisabledBadge } from '../integrations/integration-badges.tsx';
import { HealthBadge } from '../operate/health.tsx';
import { printMs } from '../operate/milliseconds.ts';
import { SilentCard } from './silent-card.tsx';
import { StoreCard } from './store-card.tsx';

/** The first page. */
export default function OverviewPage() {
  const overview = useRpc('console.overview', {}, { refetchMs: 5000 });
  return (
    <Page title="Overview" actions={<HealthBadge />}>
      <Answer of={overview}>{(figures) => <Figures overview={figures} />}</Answer>
    </Page>
  );
}

function Figures({ overview }: { overview: Overview }) {
  const { integrations, store, points, requestsToday, rejectedToday, pointsPerS, durations } = overview;
  const { version, uptimeS, memoryBytes } = overview;
  const rejected =
    rejectedToday > 0
      ? `${printCount(rejectedToday)} refused by plans`
      : printNumberOf(requestsToday, 'call');
  return (
    <>
      {store.items === 0 && <FirstSteps overview={overview} />}
      <dl className="stats">
        <Stat title="Points today" note={rejected}>
          {printShort(points.today)}
        </Stat>
        <Stat title="Rate" note="points, average of the last minute">
          {printRate(pointsPerS)}/s
        </Stat>
        <Stat
          title="Signals"
          note={
            <>
              <a href={href('/items')}>{printNumberOf(store.items, 'item')}</a> published
            </>
          }
          to={href('/signals')}
        >
          {printCount(store.signals)}
        </Stat>
        <Stat title="Integrations" note="programs that write or read" to={href('/integrations')}>
          {printCount(integrations)}
        </Stat>
        <QueryStat duration={durations.read} />
        <Stat title="Store" note={backlogOf(overview)}>
          {printBytes(store.bytes)}
        </Stat>
      </dl>
      <Card title="Points accepted" note="The last seven days, in UTC">
        <Bars
          label="Points accepted by day"
          unit="point"
          bars={points.days.map(({ day, points: value }) => ({ label: shortDay(day), value }))}
        />
      </Card>
      <Integrations />
      <p className="quiet small">
        Tidemark {version}, up for {printDuration(uptimeS * 1000)}, {printBytes(memoryBytes)} of memory
      </p>
    </>
  );
}

function QueryStat({ duration }: { duration: Overview['durations']['read'] }) {
  const note = duration === null ? 'no query yet' : `median; p95 ${printMs(duration.p95Ms)}`;
  return (
    <Stat title="Queries" note={note} to={href('/activity')}>
      {duration === null ? '–' : printMs(duration.medianMs)}
    </Stat>
  );
}

function backlogOf({ queues: { queueBytes, waiting } }: Overview): string {
  if (queueBytes > 0) return `${printBytes(queueBytes)} waiting to be written`;
  return waiting > 0 ? `${printNumberOf(waiting, 'call')} in the queue` : 'size of all files; no backlog';
}

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
            {disabledAt !== null && <DisabledBadge />}
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

const firstSteps = [
  {
    title: 'Create an integration',
    text: 'It represents the program that sends data, and has its credentials.',
    path: '/integrations',
  },
  {
    title: 'Send data',
    text: 'Run a snippet for curl, Python, MQTT, Telegraf or Node-RED; this creates the signals.',
    path: '/integrations',
  },
  {
    title: 'Publish signals',
    text: 'This creates items, which readers, charts and formulas use.',
    path: '/publish',
  },
] as const;

function FirstSteps({ overview: { integrations, store } }: { overview: Overview }) {
  const isAdmin = useIsAdmin();
  if (!isAdmin) return null;
  const states = statesOf([integrations > 0, store.signals > 0, false]);
  return (
    <Card title="Getting started">
      <StepList steps={firstSteps.map((step, i) => firstStep(step, states[i] ?? 'open'))} />
    </Card>
  );
}

function firstStep({ title, text, path }: (typeof firstSteps)[number], state: StepState): StepEntry {
  const note = (
    <div className="line spread">
      <p className="quiet">{text}</p>
      {state === 'next' && (
        <LinkButton to={href(path)} tone="primary">
          Go
        </LinkButton>
      )}
    </div>
  );
  return { id: title, state, title: <b>{title}</b>, note };
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
