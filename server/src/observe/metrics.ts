/**
 * What the service counts, as Prometheus reads it (text format 0.0.4). Labels are bounded: names of methods, routes and
 * lanes are those that are defined here, never what a client sent, and nothing is counted by integration or signal.
 */
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { CallOutcome } from '#protocol/outcome';
import type { HttpObserver, Refusal, RequestOutcome } from '#transport/http/observer';
import { TimedCounts } from './timed-counts.ts';

/** Calls by method, version and code. */
const callNames = {
  counter: 'tidemark_rpc_requests_total',
  counterHelp: 'Calls that have ended, by the code of their fault; 0 is success.',
  histogram: 'tidemark_rpc_duration_seconds',
  histogramHelp: 'Time of a call until its result was there, waiting for its turn included.',
  labels: { name: 'method', group: 'version', code: 'code' },
};

/** Requests by route and status. */
const requestNames = {
  counter: 'tidemark_http_requests_total',
  counterHelp: 'HTTP requests that were answered, by status; 0 when the client had gone.',
  histogram: 'tidemark_http_duration_seconds',
  histogramHelp: 'Time of a request until its answer was handed to the system.',
  labels: { name: 'route', code: 'status' },
};

/** What stands for a method or a route that there is not. */
const unknown = 'unknown';

/** Counts, and writes down what it has counted. */
export class Metrics implements HttpObserver {
  readonly #registry = new Registry();
  readonly #calls = new TimedCounts(callNames);
  readonly #requests = new TimedCounts(requestNames);
  readonly #bytesIn: Counter;
  readonly #bytesOut: Counter;
  readonly #refusals: Counter<'reason'>;
  readonly #points: Counter;
  readonly #slowCalls: Counter<'method'>;

  /** `programVersion` is that of the service. */
  constructor(programVersion: string) {
    const registers = [this.#registry];
    collectDefaultMetrics({ register: this.#registry });
    this.#calls.register(this.#registry);
    this.#requests.register(this.#registry);
    this.#slowCalls = new Counter({
      name: 'tidemark_rpc_slow_total',
      help: 'Calls that took longer than the limit slowCallMs; the log has them.',
      labelNames: ['method'],
      registers,
    });
    this.#bytesIn = counter('tidemark_http_request_bytes_total', 'Bytes of bodies of requests.', registers);
    this.#bytesOut = counter('tidemark_http_response_bytes_total', 'Bytes of bodies of answers.', registers);
    this.#points = counter('tidemark_points_inserted_total', 'Points that were acknowledged.', registers);
    this.#refusals = new Counter({
      name: 'tidemark_http_refused_total',
      help: 'Connections above the limit, and what is not HTTP.',
      labelNames: ['reason'],
      registers,
    });
    for (const reason of ['connections', 'malformed'] as const) this.#refusals.inc({ reason }, 0);
    const info = new Gauge({
      name: 'tidemark_build_info',
      help: 'Always 1; its labels say what runs.',
      labelNames: ['version', 'node'],
      registers,
    });
    info.set({ version: programVersion, node: process.version }, 1);
  }

  /** Where gauges are added. */
  get registry(): Registry {
    return this.#registry;
  }

  /** A call has ended. */
  onCall({ method, call, code, durationMs }: CallOutcome): void {
    this.#calls.add(method ?? unknown, call.version, code, durationMs / 1000);
  }

  /** A call was slow. */
  onSlowCall(method: string | null): void {
    this.#slowCalls.inc({ method: method ?? unknown }, 1);
  }

  /** Points were stored. */
  onInserted(pointCount: number): void {
    this.#points.inc(pointCount);
  }

  onRequest({ route, status, durationMs, bytesIn, bytesOut }: RequestOutcome): void {
    this.#requests.add(route ?? unknown, '', status, durationMs / 1000);
    if (bytesIn > 0) this.#bytesIn.inc(bytesIn);
    if (bytesOut > 0) this.#bytesOut.inc(bytesOut);
  }

  onRefusal(reason: Refusal): void {
    this.#refusals.inc({ reason }, 1);
  }

  /** Everything, as text, with its media type. */
  async render(): Promise<{ type: string; text: string }> {
    return { type: this.#registry.contentType, text: await this.#registry.metrics() };
  }
}

function counter(name: string, help: string, registers: Registry[]): Counter {
  return new Counter({ name, help, registers });
}
