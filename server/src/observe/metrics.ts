/**
 * The service's metrics in the Prometheus text format 0.0.4. Labels are bounded: names of methods, routes and lanes are
 * those defined by the service, never text from clients, and there is no label for integrations or signals.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import {
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Gauge,
  type MetricObject,
  Registry,
} from 'prom-client';
import type { CallOutcome } from '#protocol/outcome';
import type { Members } from '#storage/coordination';
import { FirstMember } from '#threads/members';
import type { HttpObserver, Refusal, RequestOutcome } from '#transport/http/observer';
import { TimedCounts } from './timed-counts.ts';

/** Calls by method, version and code. */
const callNames = {
  counter: 'tidemark_rpc_requests_total',
  counterHelp: 'Finished calls, by error code; 0 is success.',
  histogram: 'tidemark_rpc_duration_seconds',
  histogramHelp: 'Duration of calls, including the time they waited.',
  labels: { name: 'method', group: 'version', code: 'code' },
};

/** Requests by route and status. */
const requestNames = {
  counter: 'tidemark_http_requests_total',
  counterHelp: 'Finished HTTP requests, by status; 0 when the client disconnected.',
  histogram: 'tidemark_http_duration_seconds',
  histogramHelp: 'Duration of requests until the response was sent.',
  labels: { name: 'route', code: 'status' },
};

/** The label of unknown methods and routes. */
const unknown = 'unknown';

/** Counts and renders the metrics. */
export class Metrics implements HttpObserver {
  readonly #registry = new Registry();
  readonly #calls = new TimedCounts(callNames);
  readonly #requests = new TimedCounts(requestNames);
  readonly #bytesIn: Counter;
  readonly #bytesOut: Counter;
  readonly #refusals: Counter<'reason'>;
  readonly #points: Counter;
  readonly #slowCalls: Counter<'method'>;

  readonly #members: Members;

  /** `programVersion` is the version of the service. Each thread counts its own; the metrics are those of all. */
  constructor(programVersion: string, members: Members = new FirstMember()) {
    this.#members = members;
    members.answer('metrics', () => this.#registry.getMetricsAsJSON());
    const registers = [this.#registry];
    addLoopDelay(this.#registry, members.index);
    addLoopIteration(this.#registry, members.index);
    if (members.index === 0) addProcess(this.#registry, programVersion);
    this.#calls.register(this.#registry);
    this.#requests.register(this.#registry);
    this.#slowCalls = new Counter({
      name: 'tidemark_rpc_slow_total',
      help: 'Calls that took longer than slowCallMs; each is logged.',
      labelNames: ['method'],
      registers,
    });
    this.#bytesIn = counter('tidemark_http_request_bytes_total', 'Bytes of request bodies.', registers);
    this.#bytesOut = counter('tidemark_http_response_bytes_total', 'Bytes of response bodies.', registers);
    this.#points = counter('tidemark_points_inserted_total', 'Acknowledged points.', registers);
    this.#refusals = new Counter({
      name: 'tidemark_http_refused_total',
      help: 'Rejected connections: above the limit, or not HTTP.',
      labelNames: ['reason'],
      registers,
    });
    for (const reason of ['connections', 'malformed'] as const) this.#refusals.inc({ reason }, 0);
  }

  /** The registry, for further metrics. */
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

  /** All metrics as text, with their media type. */
  async render(): Promise<{ type: string; text: string }> {
    const { contentType: type } = this.#registry;
    if (this.#members.count === 1) return { type, text: await this.#registry.metrics() };
    const ofThreads = await this.#members.ask<MetricObject[]>('metrics');
    return { type, text: await AggregatorRegistry.aggregate(ofThreads).metrics() };
  }
}

/** What there is once in a process. */
function addProcess(registry: Registry, version: string): void {
  collectDefaultMetrics({ register: registry });
  const info = new Gauge({
    name: 'tidemark_build_info',
    help: 'Always 1; the labels are the versions of the service and of Node.js.',
    labelNames: ['version', 'node'],
    registers: [registry],
  });
  info.set({ version, node: process.version }, 1);
}

/** Quantiles of {@link addLoopDelay}, in percent. */
const delayPercents = [50, 99, 100];

/** How often the delay is sampled, ms. */
const delaySampleMs = 10;

/** How late timers of this thread are: how long other work waits for the event loop. */
function addLoopDelay(registry: Registry, thread: number): void {
  const delays = monitorEventLoopDelay({ resolution: delaySampleMs });
  delays.enable();
  const gauge: Gauge<'thread' | 'quantile'> = new Gauge({
    name: 'tidemark_event_loop_delay_seconds',
    help: 'Delay of the event loop since the last scrape, by service thread.',
    labelNames: ['thread', 'quantile'],
    registers: [registry],
    collect() {
      for (const percent of delayPercents)
        gauge.set(
          { thread, quantile: percent / 100 },
          Math.max(0, delays.percentile(percent) / 1e9 - delaySampleMs / 1e3),
        );
      delays.reset();
    },
  });
}

/**
 * For how long this thread did one client's or several clients' work at one go, and looked at nothing else: an iteration of its
 * event loop without the wait for events. Timers can be as late as two iterations. Not known to Node before 26.
 */
function addLoopIteration(registry: Registry, thread: number): void {
  if (Number.parseInt(process.versions.node, 10) < 26) return;
  const iterations = monitorEventLoopDelay({ samplePerIteration: true });
  iterations.enable();
  const gauge: Gauge<'thread'> = new Gauge({
    name: 'tidemark_event_loop_iteration_seconds_max',
    help: 'Longest iteration of the event loop since the last scrape, by service thread.',
    labelNames: ['thread'],
    registers: [registry],
    collect() {
      gauge.set({ thread }, iterations.max / 1e9);
      iterations.reset();
    },
  });
}

function counter(name: string, help: string, registers: Registry[]): Counter {
  return new Counter({ name, help, registers });
}
