/** Starts the service: one thread or several over one store. All layers are connected in service-thread.ts, and nowhere else. */
import type { Domain } from '#domain/domain';
import { newSetupCode } from '#domain/people/sign-ins';
import type { Environment } from '#model/environment';
import { growFileTable } from '#threads/file-table';
import { FirstMember } from '#threads/members';
import { NumberTables } from '#threads/number-table';
import { canSharePort, freePort, type ListenTarget } from '#transport/http/listen';
import type { MqttPorts } from '#transport/mqtt/mqtt';
import { httpUrl } from './http-url.ts';
import { openStore } from './open-store.ts';
import type { Reloadable, ServiceOptions, ThreadOptions } from './service-options.ts';
import { openServiceThread } from './service-thread.ts';
import { ServiceThreads } from './service-threads.ts';

/** A running service. */
export interface Service {
  /** The address that is bound, `http://HOST:PORT` or `https://…`. */
  url: string;
  /** The base URL for clients, without `/v1/`. */
  baseUrl: string;
  /** The ports of the broker. */
  mqtt: MqttPorts;
  /** That of the first thread. */
  domain: Domain;
  /** Applies the reloadable part of a new configuration in all threads, and reloads the certificate. */
  reload(next: Reloadable): Promise<void>;
  /** Stops accepting, lets open calls end, closes the store. */
  close(): Promise<void>;
}

const noSharing = 'this system cannot distribute the connections of a port: one thread serves them all';

/** When room for the files of connections is made, after the start: later than what starting itself takes, ms. */
const growthDelayMs = 3000;

/** Starts the service. Fails as `openStore` does, or with the system's error when the address cannot be bound. */
export async function startService(options: ServiceOptions, environment: Environment): Promise<Service> {
  await using starting = new AsyncDisposableStack();
  const { host, threads = 1, config, loadDemo, ...others } = options;
  const isShared = threads > 1 && (await canSharePort());
  const count = isShared ? threads : 1;
  if (count < threads) environment.log.warn(noSharing, { threads });
  const port = await freePort(host, options.port);
  const url = httpUrl(host, port, others.tls == null ? 'http' : 'https');
  const baseUrl = options.baseUrl ?? url;
  const tables = new NumberTables(environment.random);
  const members = new FirstMember(count);
  const store = await openStore({ ...options, tables, threads: count }, environment);
  const setupCode = await store.shareSecret('set-up code', newSetupCode(environment.random));
  const threadOptions: ThreadOptions = { logLevel: 'info', ...others, baseUrl, setupCode, threads: count };
  const first = await openServiceThread(threadOptions, store, environment, { tables, members });
  starting.defer(() => first.close());
  const { domain } = first;
  members.answer('config', () => config?.() ?? []);
  members.answer('load demo', () => loadDemo?.(domain, baseUrl));
  const further = await ServiceThreads.start({
    ...{ count, tables, members, store },
    options: threadOptions,
    log: environment.log,
  });
  starting.defer(() => further.close());
  starting.defer(async () => void (await Promise.all([first.drain(), further.drain()])));

  const target: ListenTarget = { host, port, isShared };
  await first.listen(target);
  const mqtt = await first.listenMqtt(host);
  await further.listen(target);

  starting.defer(growFileTableSoon(options.limits.connectionsMax));

  const reload = async (next: Reloadable) => {
    first.reload(next);
    await further.reload(next);
  };
  const closing = starting.move();
  return { url, baseUrl, mqtt, domain, reload, close: () => closing.disposeAsync() };
}

/** Makes room for the files of so many connections when the service has begun to serve. What is returned ends that. */
function growFileTableSoon(connections: number): () => Promise<void> {
  let end = async (): Promise<void> => {};
  const timer = setTimeout(() => {
    end = growFileTable(connections);
  }, growthDelayMs).unref();
  return () => {
    clearTimeout(timer);
    return end();
  };
}
