/** Figures that are asked for when somebody looks: how full the queues are, how large the files, how far sealing is behind. */
import { statfs } from 'node:fs/promises';
import { Gauge, type Registry } from 'prom-client';
import type { LaneFigures } from '#protocol/admission';
import type { StoreFigures } from '#storage/store';

/** Where the figures are. */
export interface GaugeSources {
  /** On whose disk the store is. */
  directory: string;
  store(): Promise<StoreFigures | null>;
  lanes(): readonly LaneFigures[];
  /** Bytes of the columns of running reads. */
  readsBytes(): number;
  /** Bytes of frames that wait for their clients. */
  answersBytes(): number;
  requestCount(): number;
  bodyBytes(): number;
  connectionCount(): number;
  /** When the certificate stops to be valid, ms; null without TLS. */
  certificateExpiresAtMs(): number | null;
}

/** Adds the gauges to a registry. */
export function addGauges(registry: Registry, sources: GaugeSources): void {
  addHttpGauges(registry, sources);
  addStoreGauges(registry, sources.store);
  addDiskGauges(registry, sources.directory);
}

function addHttpGauges(registry: Registry, sources: GaugeSources): void {
  const simple: [name: string, help: string, read: () => number][] = [
    ['tidemark_http_connections', 'Open connections.', sources.connectionCount],
    ['tidemark_http_running', 'Calls under way, waiting ones included.', sources.requestCount],
    ['tidemark_http_body_bytes', 'Bytes of the bodies of calls under way.', sources.bodyBytes],
    ['tidemark_rpc_read_bytes', 'Bytes of the columns of reads that run.', sources.readsBytes],
    ['tidemark_http_answer_bytes', 'Bytes of large answers that clients are reading.', sources.answersBytes],
  ];
  for (const [name, help, read] of simple) addGauge(registry, name, help, read);
  addLaneGauge(registry, 'tidemark_rpc_running', 'Calls that run, by lane.', () =>
    sources.lanes().map(({ lane, runningCount }) => [lane, runningCount]),
  );
  addLaneGauge(registry, 'tidemark_rpc_waiting', 'Calls that wait for their turn, by lane.', () =>
    sources.lanes().map(({ lane, waitingCount }) => [lane, waitingCount]),
  );
  if (sources.certificateExpiresAtMs() === null) return;
  const name = 'tidemark_tls_certificate_expiry_timestamp_seconds';
  addGauge(
    registry,
    name,
    'When the certificate in use stops to be valid.',
    () => (sources.certificateExpiresAtMs() ?? 0) / 1000,
  );
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

/** Gauge → what it shows of the store. */
const storeGauges: [name: string, help: string, read: (figures: StoreFigures) => number][] = [
  ['tidemark_store_file_bytes', 'Size of the store.', ({ fileBytes }) => fileBytes],
  ['tidemark_store_wal_bytes', 'Size of the write-ahead log.', ({ walBytes }) => walBytes],
  ['tidemark_store_log_bytes', 'Accepted points that are not in blocks yet.', ({ logBytes }) => logBytes],
  ['tidemark_store_queue_bytes', 'Accepted points that wait for the disk.', ({ queueBytes }) => queueBytes],
  [
    'tidemark_store_writer_queue',
    'Work that waits for the writer.',
    ({ writerQueueLength }) => writerQueueLength,
  ],
  [
    'tidemark_store_reader_queue',
    'Reads that wait for a reader, or are read.',
    ({ readerQueueLength }) => readerQueueLength,
  ],
  [
    'tidemark_store_seal_lag_seconds',
    'For how long there has been something to seal.',
    ({ sealLagS }) => sealLagS,
  ],
  [
    'tidemark_store_seal_failures',
    'How often sealing failed since the start.',
    ({ sealFailureCount }) => sealFailureCount,
  ],
  [
    'tidemark_store_damaged_blocks',
    'Damaged blocks that sealing has met since the start.',
    ({ damagedBlockCount }) => damagedBlockCount,
  ],
];

/** The store is asked once for all of its gauges. */
function addStoreGauges(registry: Registry, store: GaugeSources['store']): void {
  const gauges = storeGauges.map(([name, help, read], index) => {
    const gauge = new Gauge({
      name,
      help,
      registers: [registry],
      ...(index === 0 ? { collect } : {}),
    });
    return { gauge, read };
  });
  async function collect(): Promise<void> {
    const figures = await store();
    if (figures !== null) for (const { gauge, read } of gauges) gauge.set(read(figures));
  }
}

function addDiskGauges(registry: Registry, directory: string): void {
  const size = addGauge(registry, 'tidemark_disk_size_bytes', 'Size of the disk that the store is on.', null);
  const free: Gauge = new Gauge({
    name: 'tidemark_disk_free_bytes',
    help: 'What is free of it for this service.',
    registers: [registry],
    async collect() {
      const { bavail, blocks, bsize } = await statfs(directory);
      free.set(bavail * bsize);
      size.set(blocks * bsize);
    },
  });
}

function addGauge(registry: Registry, name: string, help: string, read: (() => number) | null): Gauge {
  const registers = [registry];
  if (read === null) return new Gauge({ name, help, registers });
  const gauge: Gauge = new Gauge({ name, help, registers, collect: () => gauge.set(read()) });
  return gauge;
}
