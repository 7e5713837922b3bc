/**
 * Configuration: each setting is taken from flags, environment or file, in this order. The limits of model/limits are settings
 * too.
 */
import { isIP } from 'node:net';
import { nearestName } from '#domain/formula/suggest';
import { type Limits, limitTable } from '#model/limits';
import {
  isHiddenSetting,
  networkWords,
  type Setting,
  type SettingName,
  type SettingValue,
  settingTable,
} from './settings.ts';

/** Where a value was found. */
export type Origin = 'flag' | 'environment' | 'file' | 'default';

/** The input from each source; the content of the file is not validated yet. */
export interface Sources {
  /** By setting name; only flags that were given. `limit` holds `NAME=VALUE` texts. */
  flags: Readonly<Record<string, unknown>>;
  env: Readonly<Record<string, string | undefined>>;
  /** Null when there is no configuration file. */
  file: { path: string; content: unknown } | null;
  /** Reads the file that holds a secret; throws when it cannot. */
  readSecret?(path: string): string;
}

/** A configuration error; the message names the place, the value and what is allowed. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Everything that was configured. */
export interface Config {
  readonly settings: { readonly [Name in SettingName]: SettingValue<Name> };
  readonly limits: Limits;
  /** Where each setting (by name) and each limit (as `limits.<name>`) came from. */
  readonly origins: ReadonlyMap<string, Origin>;
}

/** Resolves every setting and limit: flag, then environment, then file, then default. Throws {@link ConfigError}. */
export function resolveConfig(sources: Sources): Config {
  const file = checkFile(sources.file);
  checkEnvironment(sources.env);
  const origins = new Map<string, Origin>();
  const settings: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(settingTable)) {
    const found = placesOf(name, setting, sources, file.settings).find(({ value }) => value !== undefined);
    settings[name] = found === undefined ? setting.default : readValue(setting, found);
    origins.set(name, found?.origin ?? 'default');
  }
  checkPair(settings.tlsCert, settings.tlsKey);
  checkStores(settings as Config['settings']);
  const limits = resolveLimits(sources, file.limits, origins);
  return Object.freeze({ settings: Object.freeze(settings) as Config['settings'], limits, origins });
}

/** The sources of a setting, in order of precedence. */
function placesOf(
  name: string,
  setting: Setting,
  sources: Sources,
  file: Readonly<Record<string, unknown>>,
): Given[] {
  const plain = [
    given('environment', envOf(name), readEnv(sources.env, name)),
    given('file', `"${name}" in ${sources.file?.path}`, file[name]),
  ];
  const flag = given('flag', flagOf(name), sources.flags[name]);
  if (!isHiddenSetting(setting)) return [flag, ...plain];
  const fileName = secretFileOf(name);
  const [environment, content] = plain;
  return [
    ...(setting.kind === 'address' ? [flag] : []),
    fromFile(given('flag', flagOf(fileName), sources.flags[fileName]), sources),
    environment,
    fromFile(given('environment', envOf(fileName), readEnv(sources.env, fileName)), sources),
    content,
    fromFile(given('file', `"${fileName}" in ${sources.file?.path}`, file[fileName]), sources),
  ];
}

/** The name under which the file of a secret setting is given: `metricsTokenFile` for `metricsToken`. */
export function secretFileOf(name: string): string {
  return `${name}File`;
}

/** The content of the file, without a trailing line break. */
function fromFile(place: Given, { readSecret }: Sources): Given {
  if (place.value === undefined) return place;
  if (typeof place.value !== 'string') return refuse(place.place, 'the path of a file', place.value);
  try {
    return { ...place, value: readSecret?.(place.value).replace(/\r?\n$/, '') };
  } catch (error) {
    throw new ConfigError(`${place.place}: cannot read ${place.value}: ${reasonOf(error)}`);
  }
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' ? 'no such file' : message;
}

function checkPair(cert: unknown, key: unknown): void {
  if ((cert === null) === (key === null)) return;
  throw new ConfigError('--tls-cert and --tls-key must be set together');
}

/** Metadata and points are moved out of the data directory together. */
function checkStores(settings: Config['settings']): void {
  const { metaUrl, seriesUrl, seriesCluster, seriesReplicated } = settings;
  if ((metaUrl === null) !== (seriesUrl === null)) {
    const [given, missing] =
      metaUrl === null ? ['--series-url', '--meta-url'] : ['--meta-url', '--series-url'];
    throw new ConfigError(
      `${given} is set without ${missing}: several nodes need both, PostgreSQL for the metadata and ClickHouse for the points; set both, or neither to keep everything in the data directory`,
    );
  }
  if (seriesCluster !== null && seriesUrl === null)
    throw new ConfigError(
      '--series-cluster is set without --series-url: it names a cluster of that ClickHouse',
    );
  if (seriesReplicated && seriesCluster === null)
    throw new ConfigError(
      '--series-replicated is set without --series-cluster: name the cluster whose replicas are to be used',
    );
}

/** The flag of a setting: `--base-url` for `baseUrl`. */
export function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** The environment variable of a setting: `TIDEMARK_BASE_URL` for `baseUrl`. */
export function envOf(name: string): string {
  return `TIDEMARK_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

/** The environment variable of a limit: `TIDEMARK_LIMIT_BODY_BYTES_MAX` for `bodyBytesMax`. */
export function limitEnvOf(name: string): string {
  return envOf(`limit_${name}`);
}

/** Every name that a setting may be given under. */
const settingNames = Object.entries(settingTable).flatMap(([name, setting]: [string, Setting]) =>
  isHiddenSetting(setting) ? [name, secretFileOf(name)] : [name],
);

interface Given {
  origin: Origin;
  /** The name of the source in messages. */
  place: string;
  value: unknown;
}

function given(origin: Origin, place: string, value: unknown): Given {
  return { origin, place, value };
}

type Reader<Kind> = (place: string, value: unknown, setting: Extract<Setting, { kind: Kind }>) => unknown;

const readers: { readonly [Kind in Setting['kind']]: Reader<Kind> } = {
  text: (place, value) => (typeof value === 'string' ? value : refuse(place, 'a string', value)),
  url: readUrl,
  list: readList,
  networks: readNetworks,
  endpoint: readEndpoint,
  secret: (place, value, { isPhrase }) => (isPhrase ? readPhrase : readSecretText)(place, value),
  address: (place, value, { schemes }) => readAddress(place, value, schemes),
  integer: readInteger,
  port: (place, value) => readInteger(place, value, { min: 0, max: 65_535 }),
  switch: readSwitch,
  choice: (place, value, { choices }) =>
    choices.find((choice) => choice === value) ?? refuseChoice(place, choices, value),
};

function readValue(setting: Setting, { place, value }: Given): unknown {
  return (readers[setting.kind] as Reader<string>)(place, value, setting as never);
}

function readUrl(place: string, value: unknown): string {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : null;
  const valid = url !== null && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '';
  return valid
    ? url.href.replace(/\/+$/, '')
    : refuse(place, 'an address like https://signals.example.com', value);
}

function readInteger(place: string, value: unknown, range: { min: number; max: number }): number {
  const wanted = `a whole number from ${range.min} to ${range.max}`;
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || !/^-?\d{1,15}$/.test(text)) return refuse(place, wanted, value);
  const number = Number(text);
  return number >= range.min && number <= range.max ? number : refuse(place, wanted, value);
}

function readSwitch(place: string, value: unknown): boolean {
  if (value === true || value === 'true' || value === '1') return true;
  if (value === false || value === 'false' || value === '0') return false;
  return refuse(place, 'true or false', value);
}

function readList(place: string, value: unknown): readonly string[] {
  const list = typeof value === 'string' ? value.split(',').map((name) => name.trim()) : value;
  const valid =
    Array.isArray(list) && list.length > 0 && list.every((name) => /^[a-z][a-z0-9]*$/i.test(name));
  return valid ? Object.freeze(list) : refuse(place, 'comma-separated names of letters and digits', value);
}

function readNetworks(place: string, value: unknown): readonly string[] {
  const list = typeof value === 'string' ? value.split(',').map((name) => name.trim()) : value;
  const valid = Array.isArray(list) && list.every(isNetwork);
  return valid
    ? Object.freeze(list)
    : refuse(
        place,
        `comma-separated addresses, networks like 10.0.0.0/8, or ${networkWords.join(' ')}`,
        value,
      );
}

function isNetwork(text: unknown): boolean {
  if (typeof text !== 'string') return false;
  if (networkWords.some((word) => word === text)) return true;
  const [address, bits] = splitOnce(text, '/');
  const bitsMax = isIP(address) === 4 ? 32 : 128;
  return isIP(address) > 0 && (bits === null || (/^\d{1,3}$/.test(bits) && Number(bits) <= bitsMax));
}

function readEndpoint(place: string, value: unknown): string {
  const valid = typeof value === 'string' && parseEndpoint(value) !== null;
  return valid ? value : refuse(place, 'HOST:PORT, for example 127.0.0.1:9464', value);
}

/** Host and port of `HOST:PORT`; an IPv6 host is written in brackets. Null when the text does not have this form. */
export function parseEndpoint(text: string): { host: string; port: number } | null {
  const match = /^(?:\[([0-9a-f:.]+)\]|([\w.-]+)):(\d{1,5})$/i.exec(text);
  const port = Number(match?.[3]);
  return match === null || port > 65535 ? null : { host: match[1] ?? match[2], port };
}

/** An address is never quoted, since it may contain a password. */
function readAddress(place: string, value: unknown, schemes: readonly string[]): string {
  const text = typeof value === 'string' ? value.trim() : '';
  const isAddress = schemes.some((scheme) => text.startsWith(`${scheme}://`));
  if (isAddress && /^[\x21-\x7e]{1,4096}$/.test(text)) return text;
  throw new ConfigError(
    `${place} must be a URL that begins with ${schemes[0]}:// and has no spaces; its value is not shown`,
  );
}

/** A secret is never quoted. */
function readSecretText(place: string, value: unknown): string {
  if (typeof value === 'string' && /^[\x21-\x7e]{16,1024}$/.test(value)) return value;
  throw new ConfigError(`${place} must be 16 to 1024 characters without spaces; its value is not shown`);
}

/** A password may have spaces; the domain checks its other rules. */
function readPhrase(place: string, value: unknown): string {
  if (typeof value === 'string' && value.length >= 1 && value.length <= 1024) return value;
  throw new ConfigError(`${place} must be 1 to 1024 characters; its value is not shown`);
}

function refuse(place: string, wanted: string, value: unknown): never {
  throw new ConfigError(`${place} must be ${wanted}, got ${JSON.stringify(value)}`);
}

function refuseChoice(place: string, choices: readonly string[], value: unknown): never {
  const near = typeof value === 'string' ? nearestName(value, choices) : null;
  const hint = near === null ? '' : `; did you mean "${near}"?`;
  throw new ConfigError(`${place} must be one of ${choices.join(' ')}, got ${JSON.stringify(value)}${hint}`);
}

function resolveLimits(
  sources: Sources,
  file: Readonly<Record<string, unknown>>,
  origins: Map<string, Origin>,
): Limits {
  const flags = readLimitFlags(sources.flags.limit);
  const limits: Record<string, number> = {};
  for (const [name, limit] of Object.entries(limitTable)) {
    const found = [
      given('flag', `--limit ${name}`, flags.get(name)),
      given('environment', limitEnvOf(name), sources.env[limitEnvOf(name)] || undefined),
      given('file', `"limits.${name}" in ${sources.file?.path}`, file[name]),
    ].find((candidate) => candidate.value !== undefined);
    limits[name] = found === undefined ? limit.default : readInteger(found.place, found.value, limit);
    origins.set(`limits.${name}`, found?.origin ?? 'default');
  }
  return Object.freeze(limits) as Limits;
}

function readLimitFlags(flags: unknown): Map<string, string> {
  const byName = new Map<string, string>();
  for (const text of Array.isArray(flags) ? (flags as string[]) : []) {
    const [name, value] = splitOnce(text, '=');
    if (value === null) throw new ConfigError(`--limit must be NAME=VALUE, got ${JSON.stringify(text)}`);
    checkName('--limit', name, Object.keys(limitTable));
    byName.set(name, value);
  }
  return byName;
}

/** The text before and after the first `mark`; null if there is none. */
export function splitOnce(text: string, mark: string): [string, string | null] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, null] : [text.slice(0, at), text.slice(at + mark.length)];
}

function checkFile(file: Sources['file']): {
  settings: Readonly<Record<string, unknown>>;
  limits: Readonly<Record<string, unknown>>;
} {
  if (file === null) return { settings: {}, limits: {} };
  const settings = readObject(file.path, file.content);
  for (const name of Object.keys(settings)) {
    checkName(file.path, name, [...settingNames, 'limits']);
  }
  const limits = settings.limits === undefined ? {} : readObject(`"limits" in ${file.path}`, settings.limits);
  for (const name of Object.keys(limits)) {
    checkName(`"limits" in ${file.path}`, name, Object.keys(limitTable));
  }
  return { settings, limits };
}

function readObject(place: string, content: unknown): Record<string, unknown> {
  if (typeof content === 'object' && content !== null && !Array.isArray(content)) {
    return content as Record<string, unknown>;
  }
  return refuse(place, 'a JSON object', content);
}

/** Variables that Kubernetes sets for a Service named "tidemark"; they are not settings. */
const foreignEnv = /^TIDEMARK_(SERVICE_(HOST|PORT)(_\w+)?|PORT_\d+_(TCP|UDP)(_\w+)?)$/;

/** An empty variable counts as unset, and so does Kubernetes' `TIDEMARK_PORT=tcp://…`. */
function readEnv(env: Sources['env'], name: string): string | undefined {
  const value = env[envOf(name)];
  return name === 'port' && value?.startsWith('tcp://') ? undefined : value || undefined;
}

function checkEnvironment(env: Sources['env']): void {
  const known = [...settingNames.map(envOf), ...Object.keys(limitTable).map(limitEnvOf), 'TIDEMARK_CONFIG'];
  for (const name of Object.keys(env)) {
    if (!name.startsWith('TIDEMARK_') || foreignEnv.test(name)) continue;
    checkName('the environment', name, known);
  }
}

function checkName(place: string, name: string, known: readonly string[]): void {
  if (known.includes(name)) return;
  const near = nearestName(name, known);
  const hint = near === null ? '' : `; did you mean "${near}"?`;
  throw new ConfigError(`unknown setting "${name}" in ${place}${hint}`);
}
