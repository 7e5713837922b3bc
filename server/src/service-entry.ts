/** The entry of every service thread but the first, which starts it and tells it when to listen, to reload and to end. */
import { type MessagePort, workerData } from 'node:worker_threads';
import type { Environment } from '#model/environment';
import { bug } from '#model/error';
import { joinSqlite } from '#storage/sqlite/store';
import { FurtherMember } from '#threads/members';
import { NumberTables } from '#threads/number-table';
import { PortCalls } from '#threads/port-calls';
import type { ListenTarget } from '#transport/http/listen';
import { openCluster } from './open-cluster.ts';
import type { ThreadShare, ThreadStore } from './open-store.ts';
import { remoteLog } from './remote-log.ts';
import type { Reloadable, ThreadOptions } from './service-options.ts';
import { openServiceThread, type ServiceThread } from './service-thread.ts';
import { systemClock, systemRandom, systemStopwatch } from './system-environment.ts';

/** What a service thread is started with. */
export interface ServiceThreadData {
  options: ThreadOptions;
  count: number;
  index: number;
  tables: ReadonlyMap<string, SharedArrayBuffer>;
  store: ThreadShare;
  /** To the first thread. */
  first: MessagePort;
}

const data = workerData as ServiceThreadData;
const { options, count, index } = data;
const members = new FurtherMember(count, index);
const first = new PortCalls(data.first, {
  ...members.serving,
  open: async () => void (await opened),
  listen: async (target: ListenTarget) => (await opened).listen(target),
  reload: async (next: Reloadable) => {
    log.setLevel(next.logLevel);
    (await opened).reload(next);
  },
  drain: async () => (await opened).drain(),
  async close() {
    await (await opened).close();
    // The answer is sent before the port is closed.
    setImmediate(() => first.close());
  },
});
members.connect(first);
const log = remoteLog((entry) => first.tell('log', entry), options.logLevel);
const opened = open();
// Its rejection is the answer to `open`.
opened.catch(() => {});

async function open(): Promise<ServiceThread> {
  const environment: Environment = {
    clock: systemClock,
    stopwatch: systemStopwatch,
    random: systemRandom,
    log,
  };
  const tables = new NumberTables(null, data.tables);
  const store = await useStore(environment, tables);
  return openServiceThread(options, store, environment, { tables, members });
}

async function useStore(environment: Environment, tables: NumberTables): Promise<ThreadStore> {
  const { store: share } = data;
  if (!('points' in share)) return joinSqlite({ ...options, log, tables }, share);
  if (!options.cluster) return bug('a thread has a share of a cluster, but not its addresses');
  return openCluster({ ...options, tables, addresses: options.cluster, share }, environment);
}
