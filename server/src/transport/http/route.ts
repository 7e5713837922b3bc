/** What a route of the server is. */
import type { Exchange } from './exchange.ts';

/** A route: what it answers to, and how. */
export interface HttpRoute {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  /** Whether it needs the service to be available; else it is served while starting and draining too. */
  needsService: boolean;
  /** Answers through the exchange, or rejects: with an `HttpProblem`, or with what is then a bug. */
  serve(exchange: Exchange): void | Promise<void>;
}
