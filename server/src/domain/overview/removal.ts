/** Deletes integrations with their credentials, signals and points; items are kept. */
import type { Act } from '#model/act';
import { AppError } from '#model/error';
import type { MetaReads } from '#storage/meta-store';
import type { SeriesStore } from '#storage/store';
import type { Identity } from '../identity/identity.ts';
import type { BrokerTraffic } from './broker-traffic.ts';
import type { RecentErrors } from './recent-errors.ts';

/** What is deleted with an integration. */
interface Impact {
  signals: number;
  credentials: number;
}

interface RemovalOptions {
  meta: Pick<MetaReads, 'signals'>;
  series: SeriesStore;
  identity: Identity;
  errors: RecentErrors;
  traffic: BrokerTraffic;
}

/** Deletes integrations. */
export class Removal {
  readonly #options: RemovalOptions;

  constructor(options: RemovalOptions) {
    this.#options = options;
  }

  /** What would be deleted. `not-found`. */
  async impact(integration: string): Promise<Impact> {
    const { meta, identity } = this.#options;
    const known = await identity.listIntegrations();
    if (!known.some(({ id }) => id === integration))
      throw new AppError('not-found', `no integration has the ID ${integration}`);
    const [counts, credentials] = await Promise.all([
      meta.signals.counts(integration),
      identity.listCredentials(integration),
    ]);
    return { signals: counts.signals, credentials: credentials.length };
  }

  /** Deletes it with its credentials, signals and their points. `not-found`. */
  async remove(act: Act, integration: string): Promise<Impact> {
    const impact = await this.impact(integration);
    const numbers = await this.#options.identity.deleteIntegration(act, integration);
    await this.#options.errors.forget(integration);
    await this.#options.traffic.forget(integration);
    await this.#options.series.deleteSignals(numbers);
    return { ...impact, signals: numbers.length };
  }
}
