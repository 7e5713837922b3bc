/** The console's part of the HTTP server: its pages and the routes of sessions. */
import type { Random } from '#model/environment';
import type { HttpServerOptions } from '../server.ts';
import { readManual } from './manual.ts';
import { readPages } from './pages.ts';
import { pagesRoute } from './pages-route.ts';
import { cookieForm } from './session-cookie.ts';
import { type SessionRouteOptions, sessionRoutes } from './session-route.ts';

/** Options of {@link consoleHttp}. */
export interface ConsoleHttpOptions extends Pick<SessionRouteOptions, 'gate' | 'version' | 'loadDemo'> {
  /** The base URL of the service for browsers. */
  baseUrl: string;
  random: Random;
  /** The directory of the console's files. */
  files: string;
  /** The directory of the manual's files. */
  manualFiles: string;
}

/** Reads the console's files, and creates the handlers for files and sessions. */
export async function consoleHttp(
  options: ConsoleHttpOptions,
): Promise<Required<Pick<HttpServerOptions, 'pathPrefix' | 'routes' | 'sessions' | 'servePage'>>> {
  const { baseUrl, random, gate } = options;
  const { origin, pathname } = new URL(baseUrl);
  const pathPrefix = pathname.replace(/\/$/, '');
  const sessions = { gate, cookie: cookieForm(baseUrl), origin };
  const pages = await readPages(options.files);
  const manual = await readManual(options.manualFiles, pathPrefix);
  return {
    pathPrefix,
    sessions,
    routes: sessionRoutes({ ...options, ...sessions }),
    servePage: pagesRoute({ pages, manual, prefix: pathPrefix, random }),
  };
}
