/** Routes of the server. */
import type { Exchange } from './exchange.ts';

/** A route: method, paths and handler. */
export interface HttpRoute {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  /** Whether it needs the service to be available; else it is served while starting and draining too. */
  needsService: boolean;
  /** Answers through the exchange, or rejects with an `HttpProblem`; any other error is a bug. */
  serve(exchange: Exchange): void | Promise<void>;
}
