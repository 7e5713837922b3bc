/** Applies a changed configuration to a running service (SIGHUP), as far as that is possible without a restart. */
import type { Config } from '#config';
import type { Service } from '#main';
import { isLive, type Limits } from '#model/limits';
import { isLiveSetting, type SettingName } from '#settings';
import type { LeveledLog } from '#text-log';

/** What differs between two configurations, by name. */
export interface ConfigChanges {
  taken: string[];
  /** Not applied before the next start. */
  needRestart: string[];
}

/** What a reload needs. */
export interface ReloadOptions {
  /** The configuration at start. */
  config: Config;
  /** Reads it again. */
  read(): Promise<Config>;
  log: LeveledLog;
}

/** Reads the configuration again on SIGHUP; an invalid one changes nothing. A signal during the start is handled afterwards. */
export class Reloader {
  readonly #options: ReloadOptions;
  #config: Config;
  #service: Pick<Service, 'reload'> | null = null;
  #isPending = false;

  constructor(options: ReloadOptions) {
    this.#options = options;
    this.#config = options.config;
  }

  /** The configuration in force. */
  get config(): Config {
    return this.#config;
  }

  /** Reloads on each SIGHUP of this process from now on. */
  listen(): void {
    process.on('SIGHUP', () => void this.reload());
  }

  /** The service is running: it gets the configuration, and at once if that was asked for before. */
  async start(service: Pick<Service, 'reload'>): Promise<void> {
    this.#service = service;
    if (this.#isPending) await this.reload();
  }

  /** Never rejects: failures are logged. */
  async reload(): Promise<void> {
    this.#isPending = this.#service === null;
    if (this.#service === null) return;
    try {
      await this.#apply(await this.#options.read(), this.#service);
    } catch (error) {
      const fields = { error: (error as Error).message };
      this.#options.log.error('the new configuration is invalid; the old one remains in force', fields);
    }
  }

  async #apply(next: Config, service: Pick<Service, 'reload'>): Promise<void> {
    const { log } = this.#options;
    const { taken, needRestart } = changesOf(this.#config, next);
    const { logLevel, auditKeepDays, metricsToken } = next.settings;
    log.setLevel(logLevel);
    await service.reload({ limits: next.limits, auditKeepDays, metricsToken, logLevel });
    this.#config = inForce(this.#config, next);
    log.info('the configuration was read again', { taken });
    if (needRestart.length > 0) log.warn('changed settings need a restart', { needRestart });
  }
}

/** The differences. */
export function changesOf(before: Config, after: Config): ConfigChanges {
  const settings = (Object.keys(after.settings) as SettingName[])
    .filter((name) => JSON.stringify(before.settings[name]) !== JSON.stringify(after.settings[name]))
    .map((name) => ({ name: name as string, isTaken: isLiveSetting(name) }));
  const limits = (Object.keys(after.limits) as (keyof Limits)[])
    .filter((name) => before.limits[name] !== after.limits[name])
    .map((name) => ({ name: `limits.${name}`, isTaken: isLive(name) }));
  const all = [...settings, ...limits];
  const namesOf = (isTaken: boolean) => all.filter((one) => one.isTaken === isTaken).map(({ name }) => name);
  return { taken: namesOf(true), needRestart: namesOf(false) };
}

/** The new configuration as far as it was applied: what was not applied is reported again at the next reload. */
function inForce(before: Config, after: Config): Config {
  const settings = merged(before.settings, after.settings, isLiveSetting);
  const limits = merged(before.limits, after.limits, isLive);
  return { settings, limits, origins: after.origins };
}

/** Each member as before, or as after where the change is applied. */
function merged<T extends object>(before: T, after: T, isTaken: (name: keyof T) => boolean): T {
  const names = Object.keys(after) as (keyof T)[];
  return Object.fromEntries(names.map((name) => [name, (isTaken(name) ? after : before)[name]])) as T;
}
