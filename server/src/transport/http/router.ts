/** Which route serves a path. */
import { HttpProblem } from './problem.ts';
import type { HttpRoute } from './route.ts';

/** A route under one of its paths; `name` is the path as it was defined. */
export type NamedRoute = HttpRoute & { name: string };

/** Routes by path. A slash at the end makes no difference. */
export class PathRouter {
  readonly #byPath: ReadonlyMap<string, readonly NamedRoute[]>;

  /** Below a prefix, each route is found with it and without it: a proxy may take it away or leave it. */
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

/** The path of a request's target (RFC 9112 §3.2), decoded, without a slash at its end. 400 when it is no valid URL. */
export function pathOf(target: string): string {
  try {
    const path = /^https?:/i.test(target) ? new URL(target).pathname : target.split(/[?#]/, 1)[0];
    return decodeURIComponent(path).replace(/(?<=.)\/+$/, '');
  } catch {
    throw new HttpProblem(400, 'The path is not a valid URL');
  }
}

/** The route for a method; HEAD is answered as GET is. */
export function routeFor(routes: readonly NamedRoute[], method: string | undefined): NamedRoute | undefined {
  return routes.find((route) => route.method === (method === 'HEAD' ? 'GET' : method));
}

/** The problem of a path that has these routes, none of them for the method that was used. */
export function noRoute(routes: readonly NamedRoute[]): HttpProblem {
  if (routes.length === 0) return new HttpProblem(404, 'There is nothing at this path');
  const allowed = routes.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  return new HttpProblem(405, `This path takes ${allowed.join(' and ')}`, { allow: allowed.join(', ') });
}
