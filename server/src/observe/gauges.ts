/** Gauges that are read at each scrape: queue lengths, file sizes, the delay of sealing. */
import { statfs } from 'node:fs/promises';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Load } from '#load/load';
import type { SeriesStore } from '#storage/store';

/** The sources of the gauges. */
export interface GaugeSources {
  /** The data directory, whose file system is measured; null: there is none. */
  directory: string | null;
  series: Pick<SeriesStore, 'figures'>;
  load: Load;
  live: { readonly watcherCount: number };
  /** Figures of the broker; null: there is none. */
  mqtt: { readonly figures: BrokerFigures } | null;
  http: { connectionCount(): number; readonly tls: { readonly expiresAtMs: number } | null };
}

/** What the broker counts. */
export interface BrokerFigures {
  connectionCount: number;
  messageCount: number;
  rejectedCount: number;
  sessionCount: number;
  queuedCount: number;
  droppedCount: number;
}

const noBroker: BrokerFigures = {
  ...{ connectionCount: 0, messageCount: 0, rejectedCount: 0 },
  ...{ sessionCount: 0, queuedCount: 0, droppedCount: 0 },
};

/** Adds the gauges of the process to the registry of its first thread. */
export function addGauges(registry: Registry, sources: GaugeSources): void {
  addHttpGauges(registry, sources);
  addMetrics(registry, storeMetrics, () => sources.series.figures?.());
  addMetrics(registry, brokerMetrics, () => sources.mqtt?.figures ?? noBroker);
  const { directory } = sources;
  if (directory !== null) addMetrics(registry, diskMetrics, () => diskFigures(directory));
}

/** Adds the gauges of one thread; those of all threads are added up. */
export function addThreadGauges(registry: Registry, series: GaugeSources['series']): void {
  addMetrics(registry, queueMetrics, () => series.figures?.());
}

function addHttpGauges(registry: Registry, { load, http, live }: GaugeSources): void {
  const simple: [name: string, help: string, read: () => number][] = [
    ['tidemark_http_connections', 'Open connections.', http.connectionCount],
    ['tidemark_http_running', 'Calls in progress, including waiting ones.', () => load.requestCount],
    [
      'tidemark_http_body_bytes',
      'Bytes of the bodies of calls in progress.',
      () => load.takenBytes('body') + load.takenBytes('inflated'),
    ],
    ['tidemark_live_streams', 'Open streams of live values.', () => live.watcherCount],
    ['tidemark_rpc_read_bytes', 'Bytes of the columns of running reads.', () => load.takenBytes('read')],
    [
      'tidemark_http_answer_bytes',
      'Bytes of large answers that clients are reading.',
      () => load.takenBytes('answer'),
    ],
  ];
  for (const [name, help, read] of simple) addGauge(registry, name, help, read);
  addLaneGauge(registry, 'tidemark_rpc_running', 'Running calls, by lane.', () =>
    load.lanes.map(({ lane, runningCount }) => [lane, runningCount]),
  );
  addLaneGauge(registry, 'tidemark_rpc_waiting', 'Waiting calls, by lane.', () =>
    load.lanes.map(({ lane, waitingCount }) => [lane, waitingCount]),
  );
  const { tls } = http;
  if (tls === null) return;
  const name = 'tidemark_tls_certificate_expiry_timestamp_seconds';
  addGauge(registry, name, 'Expiry time of the TLS certificate in use.', () => tls.expiresAtMs / 1000);
}

function addLaneGauge(
  registry: Registry,
  name: string,
  help: string,
  read: () => [lane: string, value: number][],
): void {
  const gauge: Gauge<'lane'> = new Gauge({
    name,
    help,
    labelNames: ['lane'],
    registers: [registry],
    collect: () => {
      for (const [lane, value] of read()) gauge.set({ lane }, value);
    },
  });
}

/** A metric that is a field of some figures; one whose name ends in `_total` is a counter. */
type Metric<Field extends string = string> = readonly [name: string, help: string, field: Field];

/** What one thread has sent to the threads of the store. */
const queueMetrics = [
  ['tidemark_store_writer_queue', 'Tasks waiting for the writer thread.', 'writerQueueLength'],
  ['tidemark_store_reader_queue', 'Reads waiting or running.', 'readerQueueLength'],
] as const satisfies readonly Metric[];

const storeMetrics = [
  ['tidemark_store_file_bytes', 'Size of the store.', 'fileBytes'],
  ['tidemark_store_wal_bytes', 'Size of the write-ahead log.', 'walBytes'],
  ['tidemark_store_log_bytes', 'Bytes of accepted points that are not sealed into blocks yet.', 'logBytes'],
  ['tidemark_store_queue_bytes', 'Bytes of accepted points that wait for the disk.', 'queueBytes'],
  ['tidemark_store_seal_lag_seconds', 'Age of the oldest backlog of sealing.', 'sealLagS'],
  ['tidemark_store_seal_failures_total', 'Failed sealing cycles since the start.', 'sealFailureCount'],
  [
    'tidemark_store_damaged_blocks_total',
    'Damaged blocks found by sealing since the start.',
    'damagedBlockCount',
  ],
] as const satisfies readonly Metric[];

const brokerMetrics = [
  ['tidemark_mqtt_connections', 'Open connections of MQTT.', 'connectionCount'],
  ['tidemark_mqtt_messages_total', 'Messages of clients of MQTT.', 'messageCount'],
  ['tidemark_mqtt_rejected_total', 'Messages of clients of MQTT that were rejected.', 'rejectedCount'],
  ['tidemark_mqtt_sessions', 'Persistent sessions of MQTT.', 'sessionCount'],
  [
    'tidemark_mqtt_queued_messages',
    'Messages that wait for the clients of persistent sessions.',
    'queuedCount',
  ],
  ['tidemark_mqtt_dropped_total', 'Messages for which a persistent session had no room.', 'droppedCount'],
] as const satisfies readonly Metric[];

const diskMetrics = [
  ['tidemark_disk_size_bytes', 'Size of the file system of the data directory.', 'sizeBytes'],
  ['tidemark_disk_free_bytes', 'Free space of the file system that this process may use.', 'freeBytes'],
] as const satisfies readonly Metric[];

async function diskFigures(directory: string) {
  const { blocks, bavail, bsize } = await statfs(directory);
  return { sizeBytes: blocks * bsize, freeBytes: bavail * bsize };
}

/** The figures are asked for once in a scrape, and each metric waits for them. */
function addMetrics<Field extends string>(
  registry: Registry,
  list: readonly Metric<Field>[],
  figures: () => Record<Field, number> | Promise<Record<Field, number>> | undefined,
): void {
  const current = onceAtATime(async () => figures());
  for (const [name, help, field] of list) {
    const collect = async () => {
      const found = await current();
      if (found !== undefined) show(metric, found[field]);
    };
    const options = { name, help, registers: [registry], collect };
    const metric: Counter | Gauge = name.endsWith('_total') ? new Counter(options) : new Gauge(options);
  }
}

/** Calls that come while one is in progress share its result. */
function onceAtATime<T>(run: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | null = null;
  return () => {
    running ??= run().finally(() => {
      running = null;
    });
    return running;
  };
}

/** Counters of the store are kept by the store: the metric takes over the whole value. */
function show(metric: Counter | Gauge, value: number): void {
  metric.reset();
  metric.inc(value);
}

function addGauge(registry: Registry, name: string, help: string, read: () => number): void {
  const gauge: Gauge = new Gauge({ name, help, registers: [registry], collect: () => gauge.set(read()) });
}
