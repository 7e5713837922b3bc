/** What a running service takes over when its configuration is read again (SIGHUP), and what it does not. */
import type { Config } from '#config';
import type { LeveledLog } from '#log';
import type { Service } from '#main';
import { isLive, type Limits } from '#model/limits';
import { isLiveSetting, type SettingName } from '#settings';

/** What differs between two configurations, by name. */
export interface ConfigChanges {
  taken: string[];
  /** Until the next start the service goes on with the old ones. */
  needRestart: string[];
}

/** Reads the configuration again; what is wrong leaves everything as it is. */
export class Reloader {
  readonly #read: () => Promise<Config>;
  readonly #service: Pick<Service, 'reload'>;
  readonly #log: LeveledLog;
  /** As it is in force. */
  #config: Config;

  constructor(
    config: Config,
    read: () => Promise<Config>,
    service: Pick<Service, 'reload'>,
    log: LeveledLog,
  ) {
    this.#config = config;
    this.#read = read;
    this.#service = service;
    this.#log = log;
  }

  /** The configuration in force. */
  get config(): Config {
    return this.#config;
  }

  /** Never rejects: the log has what went wrong. */
  async reload(): Promise<void> {
    try {
      this.#take(await this.#read());
    } catch (error) {
      const fields = { error: (error as Error).message };
      this.#log.error('the configuration was read again and is wrong; the old one stays in force', fields);
    }
  }

  #take(next: Config): void {
    const { taken, needRestart } = changesOf(this.#config, next);
    const { logLevel, auditKeepDays, metricsToken } = next.settings;
    this.#log.setLevel(logLevel);
    this.#service.reload({ limits: next.limits, auditKeepDays, metricsToken });
    this.#config = inForce(this.#config, next);
    this.#log.info('the configuration was read again', { taken });
    if (needRestart.length > 0)
      this.#log.warn('settings have changed that a running service does not take: restart it', {
        needRestart,
      });
  }
}

/** What differs. */
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

/** Each member as it was, or as it is where that is taken. */
function merged<T extends object>(before: T, after: T, isTaken: (name: keyof T) => boolean): T {
  const names = Object.keys(after) as (keyof T)[];
  return Object.fromEntries(names.map((name) => [name, (isTaken(name) ? after : before)[name]])) as T;
}
