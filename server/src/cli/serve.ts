/** `tidemark serve`: runs the service until it receives a signal to stop. */
import { isIPv6 } from 'node:net';
import { availableParallelism, totalmem } from 'node:os';
import { parseEndpoint } from '#config';
import { openLog } from '#log';
import type { Service } from '#main';
import { isLoopback } from '#model/address';
import type { Log } from '#model/environment';
import type { ServiceOptions } from '#service-options';
import { systemClock, systemRandom, systemStopwatch } from '#system-environment';
import { openTextLog } from '#text-log';
import { brokerTargetOf } from './broker-target.ts';
import { clusterOf, passwordWarning } from './cluster-addresses.ts';
import { type Call, type CommandBody, configure } from './command.ts';
import { allRows } from './config-rows.ts';
import { noteBaseUrl } from './data-directory.ts';
import { prepareDemo, resumeDemo } from './demo.ts';
import { DemoFeed } from './demo-feed.ts';
import { checkFirstPerson, makeFirstPerson } from './first-person.ts';
import { Reloader } from './reload.ts';
import { checkDemo, checkExposure, checkTls, serveSettings, tlsFilesOf } from './serve-settings.ts';
import { CommandError, exitCodes } from './usage.ts';
import { version } from './version.ts';

/** Bounds of the number of threads, if it is not set: more share too little work, or take too much of the memory. */
const threadsDefaultMax = 16;
const bytesPerThread = 512 * 1024 * 1024;

/** One for each processor that the process may use, within the bounds. */
function defaultThreads(): number {
  const bytes = Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem());
  const threadsMax = Math.min(threadsDefaultMax, Math.floor(bytes / bytesPerThread));
  return Math.max(1, Math.min(availableParallelism(), threadsMax));
}

/** How often a service that npm started checks that npm's shell is still there, ms. */
const parentCheckMs = 500;

/** Time for open calls to end after a signal; then the process ends anyway. */
const closeMsMax = 9_000;

/** The command. */
export const definition: CommandBody = {
  settings: serveSettings,
  limits: true,
  notes: `Logs go to stdout, one JSON object per line; as text on a terminal and with --demo. SIGTERM or SIGINT stops the service: it
accepts nothing new, lets open calls end, and closes the store; a second one ends it at once. Started with npx or npm start, it
also stops when npm ends. SIGHUP makes it read its configuration file and its certificate again; the log lists what was applied
and what needs a restart.`,
  action: serve,
};

async function serve(call: Call): Promise<number> {
  const { config, terminal } = call;
  const { host, port, logLevel, demo } = config.settings;
  checkExposure(config.settings);
  checkFirstPerson(config.settings);
  checkDemo(config.settings);
  await checkTls(config.settings);
  const isTerminal = terminal.stdout.isTTY === true;
  const stop = Promise.race([stopSignal(isTerminal), endOfNpm(terminal.env)]);
  const open = isTerminal || demo ? openTextLog : openLog;
  const log = open({ level: logLevel, stream: terminal.stdout });
  const reloader = new Reloader({ config, log, read: () => configure(call.options, terminal.env) });
  if (!isTerminal) reloader.listen();
  const environment = { clock: systemClock, stopwatch: systemStopwatch, random: systemRandom, log };
  const feed = new DemoFeed(environment);
  // Help and wrong usage do not load the server.
  const { startService } = await import('#main');
  const options = { ...serviceOptions(call, feed), config: () => allRows(reloader.config) };
  const service = await startService(options, environment).catch((error) => {
    throw startProblem(error, host, port);
  });
  try {
    await reloader.start(service);
    await announce(service, call, log, feed);
  } catch (error) {
    await service.close();
    throw error;
  }
  log.info('stopping', await stop);
  feed.stop();
  return close(service, log);
}

function serviceOptions({ config }: Call, feed: DemoFeed): ServiceOptions {
  const { data, host, port, threads, baseUrl, namespace, metricsToken, metricsListen, ...others } =
    config.settings;
  const cluster = clusterOf(config);
  const loadDemo: ServiceOptions['loadDemo'] = async (domain, baseUrl) => {
    await prepareDemo({ domain, directory: data, baseUrl, nowUs: systemClock.nowUs(), feed });
  };
  return {
    directory: data,
    cluster,
    host,
    port,
    threads: threads || defaultThreads(),
    runsFirst: !others.shareProcessors,
    mqtt: { plain: others.mqttPort, secure: others.mqttsPort },
    mqttAuthToken: others.mqttAuthToken,
    existingBroker: brokerTargetOf(config.settings),
    logLevel: others.logLevel,
    baseUrl,
    limits: config.limits,
    namespaces: namespace,
    audiences: others.audiences,
    auditKeepDays: others.auditKeepDays,
    tls: tlsFilesOf(config.settings),
    trustedProxies: others.trustProxy,
    metrics: { token: metricsToken, listen: metricsListen === null ? null : parseEndpoint(metricsListen) },
    version: version(),
    loadDemo: cluster === null ? loadDemo : undefined,
  };
}

/** Stores the address for other commands, and prints it; with `--demo` also prints how to begin. */
async function announce(
  service: Service,
  { config, terminal }: Call,
  log: Log,
  feed: DemoFeed,
): Promise<void> {
  const { data, host, baseUrl, demo } = config.settings;
  const warning = passwordWarning(config);
  if (warning !== null) log.warn(warning);
  const isEmbedded = clusterOf(config) === null;
  if (isEmbedded) await noteAddress(data, service.baseUrl, log);
  if (baseUrl === null && !isLoopback(host)) {
    log.warn('tokens and credentials files name this machine only; set --base-url for clients elsewhere', {
      baseUrl: service.baseUrl,
    });
  }
  const { domain } = service;
  await makeFirstPerson(domain, config.settings);
  const place = isEmbedded ? { data } : { store: 'PostgreSQL and ClickHouse' };
  const addresses = { url: service.url, baseUrl: service.baseUrl, ...mqttUrls(service, host) };
  log.info('listening', { ...addresses, ...place });
  const setupCode = domain.signIns.setupCode();
  if (setupCode !== null && !demo)
    log.info('there are no people yet: open the console to set it up', {
      url: `${service.baseUrl}/`,
      setupCode,
    });
  if (!isEmbedded) return;
  const demoPlace = { domain, directory: data, baseUrl: service.baseUrl, nowUs: systemClock.nowUs(), feed };
  await resumeDemo(demoPlace);
  if (demo) terminal.stdout.write(await prepareDemo(demoPlace));
}

async function noteAddress(data: string, baseUrl: string, log: Log): Promise<void> {
  await noteBaseUrl(data, baseUrl).catch((error: unknown) => {
    log.warn('the address could not be noted in the data directory; commands may use an older one', {
      error: String(error),
    });
  });
}

/** Where the broker listens. */
function mqttUrls({ mqtt }: Service, host: string): { mqtt?: string; mqtts?: string } {
  const place = isIPv6(host) ? `[${host}]` : host;
  return {
    ...(mqtt.plain === null ? {} : { mqtt: `mqtt://${place}:${mqtt.plain}` }),
    ...(mqtt.secure === null ? {} : { mqtts: `mqtts://${place}:${mqtt.secure}` }),
  };
}

/** Why the service stops, as the log says it. */
type StopCause = { signal: NodeJS.Signals } | { reason: string };

/** Resolves with the first signal; the second ends the process. Closing the terminal also stops the service. */
function stopSignal(isTerminal: boolean): Promise<StopCause> {
  const hangUp = isTerminal ? (['SIGHUP'] as const) : [];
  return new Promise((resolve) => {
    let isStopping = false;
    for (const name of ['SIGTERM', 'SIGINT', ...hangUp] as const) {
      process.on(name, () => {
        if (isStopping) process.exit(exitCodes.failed);
        isStopping = true;
        resolve({ signal: name });
      });
    }
  });
}

/**
 * Resolves when the shell has ended in which `npx` or `npm start` runs the service: npm passes a signal on to the shell only, which
 * would leave the service running.
 */
function endOfNpm(env: NodeJS.ProcessEnv): Promise<StopCause> {
  const { promise, resolve } = Promise.withResolvers<StopCause>();
  const parent = process.ppid;
  const isByNpm = env.npm_lifecycle_event === 'npx' || env.npm_lifecycle_event === 'start';
  if (isByNpm) {
    const timer = setInterval(() => {
      if (process.ppid === parent) return;
      clearInterval(timer);
      resolve({ reason: 'npm has ended' });
    }, parentCheckMs);
    timer.unref();
  }
  return promise;
}

async function close(service: Service, log: Log): Promise<number> {
  const deadline = setTimeout(() => {
    log.error('open calls did not end in time; what was acknowledged is safe', { ms: closeMsMax });
    process.exit(exitCodes.failed);
  }, closeMsMax);
  await service.close();
  clearTimeout(deadline);
  log.info('stopped');
  return exitCodes.ok;
}

/** Explains what to do about an address that cannot be bound. */
function startProblem(error: NodeJS.ErrnoException & { port?: number }, host: string, port: number): Error {
  const place = `port ${error.port ?? port} of ${host}`;
  const flag = (error.port ?? port) === port ? '--port' : '--mqtt-port or --mqtts-port';
  if (error.code === 'EADDRINUSE') {
    return new CommandError(`${place} is in use by another process; choose another one with ${flag}`);
  }
  if (error.code === 'EACCES' && error.syscall === 'listen') {
    return new CommandError(`${place} is not allowed for this user; choose one above 1023 with ${flag}`);
  }
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND') {
    return new CommandError(`${host} is not an address of this machine; choose another one with --host`);
  }
  return error;
}
