/** Finds what serves a request: its route, a page of the console, or an error. */
import type { IncomingMessage } from 'node:http';
import type { ServePage } from './console/pages-route.ts';
import { HttpProblem } from './problem.ts';
import type { HttpRoute } from './route.ts';

/** A route under one of its paths; `name` is the path as it was defined, null for a path without a route. */
export type Served = Pick<HttpRoute, 'serve' | 'needsService'> & { name: string | null };

type NamedRoute = HttpRoute & { name: string };

/** Routes by path. A trailing slash is ignored. */
export class PathRouter {
  readonly #byPath: ReadonlyMap<string, readonly NamedRoute[]>;
  readonly #servePage: ServePage;

  /** With a prefix, each route is found with and without it, since a proxy may remove it. */
  constructor(routes: readonly HttpRoute[], prefix: string, servePage: ServePage = async () => false) {
    const below = prefix.replace(/\/+$/, '');
    const named = routes.flatMap((route) => {
      const plain = { ...route, name: route.path };
      return below === '' ? [plain] : [plain, { ...plain, path: below + route.path }];
    });
    this.#byPath = Map.groupBy(named, ({ path }) => path);
    this.#servePage = servePage;
  }

  /** What serves a request; HEAD uses the route of GET. Without a route it answers 404 or 405, or 400 for an invalid URL. */
  find({ url = '/', method }: Pick<IncomingMessage, 'url' | 'method'>): Served {
    // Usually it is one as it was sent.
    const path = this.#byPath.has(url) ? url : pathOf(url);
    if (path === null) return failing(null, new HttpProblem(400, 'The path is not a valid URL'));
    const routes = this.#byPath.get(path) ?? [];
    const isGet = method === 'GET' || method === 'HEAD';
    const route = routes.find((known) => known.method === (isGet ? 'GET' : method));
    if (route !== undefined) return route;
    if (routes.length > 0) return failing(routes[0].name, wrongMethod(routes));
    const missing = new HttpProblem(404, 'There is nothing at this path');
    if (!isGet) return failing(null, missing);
    const serve: HttpRoute['serve'] = async (exchange) => {
      if (!(await this.#servePage(exchange))) throw missing;
    };
    return { name: null, needsService: false, serve };
  }
}

/** The path of a request's target (RFC 9112 §3.2), decoded, without a trailing slash; null for an invalid URL. */
export function pathOf(target: string): string | null {
  try {
    const path = /^https?:/i.test(target) ? new URL(target).pathname : target.split(/[?#]/, 1)[0];
    return decodeURIComponent(path).replace(/(?<=.)\/+$/, '');
  } catch {
    return null;
  }
}

function failing(name: string | null, problem: HttpProblem): Served {
  return { name, needsService: false, serve: () => Promise.reject(problem) };
}

function wrongMethod(routes: readonly HttpRoute[]): HttpProblem {
  const allowed = routes.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  return new HttpProblem(405, `This path takes ${allowed.join(' and ')}`, { allow: allowed.join(', ') });
}
