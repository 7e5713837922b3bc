/** Finds the route for a path. */
import { HttpProblem } from './problem.ts';
import type { HttpRoute } from './route.ts';

/** A route under one of its paths; `name` is the path as it was defined. */
export type NamedRoute = HttpRoute & { name: string };

/** Routes by path. A trailing slash is ignored. */
export class PathRouter {
  readonly #byPath: ReadonlyMap<string, readonly NamedRoute[]>;

  /** With a prefix, each route is found with and without it, since a proxy may remove it. */
  constructor(routes: readonly HttpRoute[], prefix: string) {
    const below = prefix.replace(/\/+$/, '');
    const named = routes.flatMap((route) => {
      const plain = { ...route, name: route.path };
      return below === '' ? [plain] : [plain, { ...plain, path: below + route.path }];
    });
    this.#byPath = Map.groupBy(named, ({ path }) => path);
  }

  /** The routes of a path, by method; empty where there are none. */
  at(path: string): readonly NamedRoute[] {
    return this.#byPath.get(path) ?? [];
  }
}

/** The path of a request's target (RFC 9112 §3.2), decoded, without a trailing slash. 400 for an invalid URL. */
export function pathOf(target: string): string {
  try {
    const path = /^https?:/i.test(target) ? new URL(target).pathname : target.split(/[?#]/, 1)[0];
    return decodeURIComponent(path).replace(/(?<=.)\/+$/, '');
  } catch {
    throw new HttpProblem(400, 'The path is not a valid URL');
  }
}

/** The route for a method; HEAD uses the route of GET. */
export function routeFor(routes: readonly NamedRoute[], method: string | undefined): NamedRoute | undefined {
  return routes.find((route) => route.method === (method === 'HEAD' ? 'GET' : method));
}

/** The problem for a path with these routes, none of which has the request's method. */
export function noRoute(routes: readonly NamedRoute[]): HttpProblem {
  if (routes.length === 0) return new HttpProblem(404, 'There is nothing at this path');
  const allowed = routes.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  return new HttpProblem(405, `This path takes ${allowed.join(' and ')}`, { allow: allowed.join(', ') });
}
