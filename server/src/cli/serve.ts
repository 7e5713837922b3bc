/** `tidemark serve`: runs the service until it receives a signal to stop. */
import type { Command } from 'commander';
import { type Config, parseEndpoint } from '#config';
import { openLog } from '#log';
import type { Service } from '#main';
import { isLoopback } from '#model/address';
import type { Log } from '#model/environment';
import type { ServiceOptions } from '#service-options';
import { systemClock, systemRandom, systemStopwatch } from '#system-environment';
import { type Call, configure, define, type Runner } from './command.ts';
import { type ConfigRow, limitRows, settingRows } from './config-rows.ts';
import { noteBaseUrl } from './data-directory.ts';
import { prepareDemo, resumeDemo } from './demo.ts';
import { DemoFeed } from './demo-feed.ts';
import { checkFirstPerson, makeFirstPerson } from './first-person.ts';
import { Reloader } from './reload.ts';
import { checkExposure, checkTls, serveSettings, tlsFilesOf } from './serve-settings.ts';
import { CommandError, exitCodes } from './usage.ts';
import { version } from './version.ts';

/** Time for open calls to end after a signal; then the process ends anyway. */
const closeMsMax = 9_000;

/** Adds the command. */
export function defineServe(root: Command, run: Runner): void {
  const command = define(root, run, {
    usage: 'serve',
    summary: 'run the service',
    settings: serveSettings,
    limits: true,
    action: serve,
  });
  command.addHelpText(
    'after',
    `
Logs go to stdout, one JSON object a line; where stdout is a terminal, and with --demo, as text. SIGTERM or SIGINT ends
the service: it stops accepting, lets open calls end, closes the store; a second one ends it at once. SIGHUP has it read
its configuration file and its certificate again; the log says what it took and what needs a restart.`,
  );
}

async function serve(call: Call): Promise<number> {
  const { config, terminal } = call;
  const { host, port, logLevel, demo } = config.settings;
  checkExposure(config.settings);
  checkFirstPerson(config.settings);
  await checkTls(config.settings);
  const isTerminal = terminal.stdout.isTTY === true;
  const stop = stopSignal(isTerminal);
  const log = openLog({ level: logLevel, pretty: isTerminal || demo, stream: terminal.stdout });
  const environment = { clock: systemClock, stopwatch: systemStopwatch, random: systemRandom, log };
  // Help and wrong usage do not load the server.
  const { startService } = await import('#main');
  let reloader: Reloader | null = null;
  const hangUps = isTerminal ? null : new HangUps();
  const rows = () => configRows(reloader?.config ?? config);
  const feed = new DemoFeed(environment);
  const service = await startService({ ...serviceOptions(call, feed), config: rows }, environment).catch(
    (error) => {
      throw startProblem(error, host, port);
    },
  );
  if (hangUps !== null) {
    const made = new Reloader(config, () => configure(call.options, terminal.env), service, log);
    reloader = made;
    hangUps.serve(() => made.reload());
  }
  try {
    await announce(service, call, log, feed);
  } catch (error) {
    await service.close();
    throw error;
  }
  log.info('stopping', { signal: await stop });
  feed.stop();
  return close(service, log);
}

function serviceOptions({ config }: Call, feed: DemoFeed): ServiceOptions {
  const { data, host, port, baseUrl, namespace, metricsToken, metricsListen, ...others } = config.settings;
  return {
    directory: data,
    host,
    port,
    baseUrl,
    limits: config.limits,
    namespaces: namespace,
    audiences: others.audiences,
    auditKeepDays: others.auditKeepDays,
    tls: tlsFilesOf(config.settings),
    trustedProxies: others.trustProxy,
    metrics: {
      token: metricsToken,
      listen: metricsListen === null ? null : parseEndpoint(metricsListen),
    },
    version: version(),
    loadDemo: async (domain, baseUrl) => {
      await prepareDemo({ domain, directory: data, baseUrl, nowUs: systemClock.nowUs(), feed });
    },
  };
}

/** SIGHUP asks a service without a terminal to read its configuration again; one that comes during the start is kept until then. */
class HangUps {
  #isPending = false;
  #reload: (() => Promise<unknown>) | null = null;

  constructor() {
    process.on('SIGHUP', () => {
      if (this.#reload === null) this.#isPending = true;
      else void this.#reload();
    });
  }

  /** Reloads on each signal from now on, and at once when one has come. */
  serve(reload: () => Promise<unknown>): void {
    this.#reload = reload;
    if (this.#isPending) void reload();
  }
}

/** Stores the address for other commands, and prints it; with `--demo` also prints how to begin. */
async function announce(
  service: Service,
  { config, terminal }: Call,
  log: Log,
  feed: DemoFeed,
): Promise<void> {
  const { data, host, baseUrl, demo } = config.settings;
  await noteBaseUrl(data, service.baseUrl).catch((error: unknown) => {
    log.warn('the address could not be noted in the data directory; commands may use an older one', {
      error: String(error),
    });
  });
  if (baseUrl === null && !isLoopback(host)) {
    log.warn('tokens and credentials files name this machine only; set --base-url for clients elsewhere', {
      baseUrl: service.baseUrl,
    });
  }
  const { domain } = service;
  await makeFirstPerson(domain, config.settings);
  log.info('listening', { url: service.url, baseUrl: service.baseUrl, data });
  const setupCode = domain.entrance.setupCode();
  if (setupCode !== null && !demo)
    log.info('nobody can sign in yet: open the console and set it up', {
      url: `${service.baseUrl}/`,
      setupCode,
    });
  const place = { domain, directory: data, baseUrl: service.baseUrl, nowUs: systemClock.nowUs(), feed };
  await resumeDemo(place);
  if (demo) terminal.stdout.write(await prepareDemo(place));
}

/** For the console. */
function configRows(config: Config): Omit<ConfigRow, 'reload'>[] {
  return [...settingRows(config), ...limitRows(config)].map(({ reload: _, ...row }) => row);
}

/** Resolves with the first signal; the second ends the process. Closing the terminal also stops the service. */
function stopSignal(isTerminal: boolean): Promise<NodeJS.Signals> {
  const hangUp = isTerminal ? (['SIGHUP'] as const) : [];
  return new Promise((resolve) => {
    let isStopping = false;
    for (const name of ['SIGTERM', 'SIGINT', ...hangUp] as const) {
      process.on(name, () => {
        if (isStopping) process.exit(exitCodes.failed);
        isStopping = true;
        resolve(name);
      });
    }
  });
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
function startProblem(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const place = `port ${port} of ${host}`;
  if (error.code === 'EADDRINUSE') {
    return new CommandError(`${place} is taken by another process; choose another one with --port`);
  }
  if (error.code === 'EACCES' && error.syscall === 'listen') {
    return new CommandError(`${place} is not allowed for this user; choose one above 1023 with --port`);
  }
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND') {
    return new CommandError(`${host} is no address of this machine; choose another one with --host`);
  }
  return error;
}
