/** The configuration as rows: every setting and limit with its value, default, origin and reason; no secrets. */
import type { Config } from '#config';
import { isLive, type Limits, limitTable } from '#model/limits';
import { isHiddenSetting, isLiveSetting, type Setting, type SettingName, settingTable } from '#settings';
import { serveSettings } from './serve-settings.ts';

/** One setting or limit. */
export interface ConfigRow {
  name: string;
  value: unknown;
  default: unknown;
  origin: string;
  /** Whether a reload (SIGHUP) applies a new value; null: not a setting of the service. */
  reload: boolean | null;
  /** Its purpose. */
  reason: string;
}

/** The settings and limits without `reload`, for the console. */
export function allRows(config: Config): Omit<ConfigRow, 'reload'>[] {
  return [...settingRows(config), ...limitRows(config)].map(({ reload: _, ...row }) => row);
}

/** The settings. */
export function settingRows(config: Config): ConfigRow[] {
  return (Object.keys(settingTable) as SettingName[]).map((name) => settingRow(config, name));
}

/** The limits, as `limits.<name>`. */
export function limitRows(config: Config): ConfigRow[] {
  return (Object.keys(limitTable) as (keyof Limits)[]).map((name) => limitRow(config, name));
}

function settingRow({ settings, origins }: Config, name: SettingName): ConfigRow {
  const setting: Setting = settingTable[name];
  const origin = origins.get(name) ?? 'default';
  const value = isHiddenSetting(setting) && settings[name] !== null ? '(hidden)' : settings[name];
  const isOfService = serveSettings.some((other) => other === name);
  const reload = isOfService ? isLiveSetting(name) : null;
  return { name, value, default: setting.default, origin, reload, reason: setting.help };
}

function limitRow({ limits, origins }: Config, name: keyof Limits): ConfigRow {
  const { default: usual, unit, reason } = limitTable[name];
  const origin = origins.get(`limits.${name}`) ?? 'default';
  return {
    name: `limits.${name}`,
    value: limits[name],
    default: usual,
    origin,
    reload: isLive(name),
    reason: `[${unit}] ${reason}`,
  };
}
