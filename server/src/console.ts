/** Assembles the console: the services for its methods, its routes and its pages. */
import { fileURLToPath } from 'node:url';
import type { Audit } from '#domain/audit/audit';
import { apiUrlOf } from '#domain/identity/credentials-file';
import type { Identity } from '#domain/identity/identity';
import { History } from '#domain/overview/history';
import { Latest } from '#domain/overview/latest';
import { Overview } from '#domain/overview/overview';
import { Recency } from '#domain/overview/recency';
import type { RecentErrors } from '#domain/overview/recent-errors';
import { Removal } from '#domain/overview/removal';
import { Sizes } from '#domain/overview/sizes';
import { Spacing } from '#domain/overview/spacing';
import { Trend } from '#domain/overview/trend';
import type { Entrance } from '#domain/people/entrance';
import type { People } from '#domain/people/people';
import type { SavedViews } from '#domain/people/saved-views';
import type { Sessions } from '#domain/people/sessions';
import type { Settings } from '#domain/people/settings';
import type { Plans } from '#domain/plans/plans';
import type { Retention } from '#domain/retention/retention';
import type { Usage } from '#domain/usage/usage';
import type { ConsoleServices, Host } from '#methods/console/console-domain';
import type { Clock, Random } from '#model/environment';
import type { ConsoleGate } from '#protocol/console-gate';
import type { MetaStore, SeriesStore } from '#storage/store';
import { readPages } from '#transport/http/console/pages';
import { pagesRoute } from '#transport/http/console/pages-route';
import { cookieForm } from '#transport/http/console/session-cookie';
import { sessionRoutes } from '#transport/http/console/session-route';
import type { HttpServerOptions } from '#transport/http/server';

/** The services of the domain that the console needs. */
export interface ConsoleSources {
  people: People;
  sessions: Sessions;
  entrance: Entrance;
  savedViews: SavedViews;
  settings: Settings;
  retention: Retention;
  plans: Plans;
  errors: RecentErrors;
  identity: Identity;
  usage: Usage;
  audit: Audit;
  meta: MetaStore;
  series: SeriesStore;
  clock: Clock;
}

/** Opens the services that only the console's methods use. The caller has to close the overview. */
export function createConsoleServices(sources: ConsoleSources, host: Host, baseUrl: string): ConsoleServices {
  return {
    ...sources,
    overview: new Overview(sources),
    recency: new Recency(sources),
    removal: new Removal(sources),
    latest: new Latest(sources),
    history: new History(sources),
    sizes: new Sizes(sources),
    spacing: new Spacing(sources),
    trend: new Trend(sources),
    host,
    apiUrl: apiUrlOf(baseUrl),
  };
}

/** Options of {@link consoleHttp}. */
export interface ConsoleHttpOptions {
  entrance: Entrance;
  /** The base URL of the service for browsers. */
  baseUrl: string;
  /** Of the program. */
  version: string;
  random: Random;
  /** The directory of the console's files. */
  pagesDirectory: string;
  /** Fills an empty service with the demo plant, if the first administrator has selected that. */
  loadDemo?: () => Promise<void>;
}

/** What the console adds to the HTTP server. */
export type ConsoleHttp = Required<Pick<HttpServerOptions, 'routes' | 'sessions' | 'servePage'>>;

/** Reads the console's files, and creates the handlers for files and sessions. */
export async function consoleHttp(options: ConsoleHttpOptions): Promise<ConsoleHttp> {
  const { baseUrl, version, random, pagesDirectory } = options;
  const { origin, pathname } = new URL(baseUrl);
  const sessions = { gate: gateOf(options), cookie: cookieForm(baseUrl), origin };
  const pages = await readPages(pagesDirectory);
  return {
    sessions,
    routes: sessionRoutes({ ...sessions, version, baseUrl }),
    servePage: pagesRoute({ pages, prefix: pathname.replace(/\/$/, ''), random }),
  };
}

/** The entrance, extended by the creation of the demo plant. */
function gateOf({ entrance, loadDemo }: ConsoleHttpOptions): ConsoleGate {
  return {
    setupCode: () => entrance.setupCode(),
    instance: () => entrance.instance(),
    authenticate: (token) => entrance.authenticate(token),
    signIn: (name, password, place) => entrance.signIn(name, password, place),
    signOut: (token, address) => entrance.signOut(token, address),
    async setUp(request, place) {
      const entry = await entrance.setUp(request, place);
      if (entry.ok && request.demo) await loadDemo?.();
      return entry;
    },
  };
}

/** The directory of the console's files: next to the JavaScript in a package, in the workspace `console` in a clone. */
export function consoleDirectory(): string {
  const isPackage = import.meta.url.endsWith('.js');
  return fileURLToPath(new URL(isPackage ? './console/' : '../../console/dist/', import.meta.url));
}
