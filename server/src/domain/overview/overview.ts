/** Statistics of the service and its integrations, for the console's overview. */
import { type Duration, dayUs } from '#model/duration';
import { matchAll } from '#model/filter';
import type { ResourceCounts } from '#model/plan';
import { addTally, emptyTally, type Tally, type UsageRow } from '#model/usage';
import type { Integration, MetaReads } from '#storage/meta-store';
import type { Identity } from '../identity/identity.ts';
import type { Usage } from '../usage/usage.ts';
import { type Forecast, forecastOf } from './forecast.ts';
import { PointRate } from './point-rate.ts';
import type { ErrorSum, RecentErrors } from './recent-errors.ts';

interface OverviewOptions {
  meta: Pick<MetaReads, 'integrations' | 'signals' | 'items' | 'retentionRules'>;
  identity: Identity;
  usage: Usage;
  errors: RecentErrors;
}

/** An integration with its figures. */
export interface IntegrationFigures extends Integration, ResourceCounts {
  credentials: number;
  /** When a program last used one of its credentials, including deleted ones; null: never. */
  lastSeenAtMs: number | null;
  today: Tally;
  /** Of the last seven UTC days including today. */
  week: Tally;
  /** Failures since the start; null: none. */
  errors: ErrorSum | null;
}

/** The service in figures. */
export interface ServiceFigures {
  integrations: number;
  signals: number;
  items: number;
  today: Tally;
  /** Seven UTC days, oldest first, today last. */
  days: { day: number; tally: Tally }[];
  /** Over the last minute. */
  pointsPerS: number;
}

const weekDays = 7;

/** Figures of one store. */
export class Overview {
  readonly #options: OverviewOptions;
  readonly #rate: PointRate;
  #integrationIds: readonly string[] = [];

  constructor(options: OverviewOptions) {
    this.#options = options;
    this.#rate = new PointRate(() => this.#pointsToday());
  }

  /** Every integration, oldest first. Scans the signals in an index. */
  async integrations(): Promise<IntegrationFigures[]> {
    const { meta, identity, usage } = this.#options;
    const integrations = await identity.listIntegrations();
    const [credentials, seenMs, rows, counts, errors] = await Promise.all([
      identity.listCredentials(),
      meta.integrations.lastSeen(),
      usage.list(null, weekDays),
      meta.signals.countsByIntegration(),
      this.#options.errors.sums(),
    ]);
    this.#integrationIds = integrations.map(({ id }) => id);
    return integrations.map((integration) => {
      const mine = rows.filter((row) => row.integration === integration.id);
      return {
        ...integration,
        ...(counts.get(integration.id) ?? { signals: 0, items: 0 }),
        credentials: credentials.filter((credential) => credential.integration === integration.id).length,
        lastSeenAtMs: seenMs.get(integration.id) ?? null,
        ...this.#tallies(mine),
        errors: errors.get(integration.id) ?? null,
      };
    });
  }

  /** The service as a whole. */
  async service(): Promise<ServiceFigures> {
    const { meta, identity, usage } = this.#options;
    const none = { filter: matchAll, sort: [], limit: 0, skip: 0, total: true };
    const [integrations, signals, items, rows] = await Promise.all([
      identity.listIntegrations(),
      meta.signals.select(none, null),
      meta.items.select(none),
      usage.list(null, weekDays),
    ]);
    this.#integrationIds = integrations.map(({ id }) => id);
    const today = usage.today();
    const days = Array.from({ length: weekDays }, (_, i) => today - weekDays + 1 + i).map((day) => ({
      day,
      tally: sumOf(rows.filter((row) => row.day === day)),
    }));
    return {
      integrations: integrations.length,
      signals: signals.total ?? 0,
      items: items.total ?? 0,
      today: days[weekDays - 1].tally,
      days,
      pointsPerS: this.#rate.perSecond,
    };
  }

  /** The forecast of disk usage; null when there are not enough data. */
  async forecast(disk: { storeBytes: number; points: number; freeBytes: number }): Promise<Forecast | null> {
    const { meta, usage } = this.#options;
    const [rows, rules] = await Promise.all([usage.list(null, weekDays + 1), meta.retentionRules.all()]);
    const keep = rules.find(({ scope }) => scope.kind === 'all')?.keep ?? null;
    return forecastOf({
      ...disk,
      pointsByDay: wholeDays(rows, usage.today()),
      keepDays: keep && daysOf(keep),
    });
  }

  /** Stops counting. */
  close(): void {
    this.#rate.close();
  }

  #tallies(rows: readonly UsageRow[]): { today: Tally; week: Tally } {
    const today = this.#options.usage.today();
    return { today: sumOf(rows.filter(({ day }) => day === today)), week: sumOf(rows) };
  }

  /** The integrations at the time of the last request. */
  #pointsToday(): number {
    const { usage } = this.#options;
    return this.#integrationIds.reduce((sum, id) => sum + usage.pointsToday(id), 0);
  }
}

function sumOf(rows: readonly UsageRow[]): Tally {
  const sum = emptyTally();
  for (const { tally } of rows) addTally(sum, tally);
  return sum;
}

/** The points of the days before today, from the first with any. */
function wholeDays(rows: readonly UsageRow[], today: number): number[] {
  const days = Array.from({ length: weekDays }, (_, i) => today - weekDays + i);
  const points = days.map((day) => sumOf(rows.filter((row) => row.day === day)).points);
  const first = points.findIndex((count) => count > 0);
  return first < 0 ? [] : points.slice(first);
}

function daysOf(keep: Duration): number {
  return keep.kind === 'fixed' ? keep.us / dayUs : keep.months * 30.436875;
}
