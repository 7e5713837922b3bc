/** Keeps the demo plant running: a row each minute, as long as its integration exists. */
import type { Domain } from '#domain/domain';
import type { Clock, Log } from '#model/environment';
import { frameOf, type Simulation } from './demo-plant.ts';

const minuteUs = 60_000_000;
/** After a longer sleep of the machine the minutes before are not made up for. */
const rowsMax = 1440;

interface FeedEnvironment {
  clock: Clock;
  log: Log;
}

/** Inserts the plant's rows at each full minute. */
export class DemoFeed {
  readonly #environment: FeedEnvironment;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #isStopped = false;

  constructor(environment: FeedEnvironment) {
    this.#environment = environment;
  }

  /** Begins; once for a process. */
  start(domain: Domain, integration: string, simulation: Simulation): void {
    if (this.#timer === null) this.#wait(domain, integration, simulation);
  }

  /** Ends: no row is inserted any more. */
  stop(): void {
    this.#isStopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #wait(domain: Domain, integration: string, simulation: Simulation): void {
    const nowUs = this.#environment.clock.nowUs();
    const waitMs = Math.max(0, Math.min(minuteUs, simulation.nextUs - nowUs)) / 1000;
    this.#timer = setTimeout(() => {
      insertRows(domain, integration, simulation, this.#environment.clock.nowUs()).then(
        (goesOn) => goesOn && !this.#isStopped && this.#wait(domain, integration, simulation),
        (error: unknown) => this.#fail(error),
      );
    }, waitMs + 50);
    this.#timer.unref();
  }

  #fail(error: unknown): void {
    if (!this.#isStopped) this.#environment.log.warn('the demo plant has stopped', { error: String(error) });
  }
}

/** Inserts the rows that are due; false when the integration does not exist any more. Nothing while it is disabled. */
export async function insertRows(
  domain: Pick<Domain, 'identity' | 'ingest' | 'quota'>,
  integration: string,
  simulation: Simulation,
  nowUs: number,
): Promise<boolean> {
  const owner = (await domain.identity.listIntegrations()).find(({ id }) => id === integration);
  if (owner === undefined) return false;
  const rows = simulation.rowsUntil(nowUs).slice(-rowsMax);
  if (rows.length === 0 || owner.disabledAtMs !== null) return true;
  await domain.ingest.insert(integration, frameOf(rows), domain.quota.accountOf(integration));
  return true;
}
