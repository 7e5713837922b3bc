/**
 * Configuration: every setting with its default, and how flags, environment and file decide it, in this order. The limits
 * of model/limits are settings too.
 */
import { nearestName } from '#domain/formula/suggest';
import { type Limits, limitTable } from '#model/limits';

/** What a setting's value may be. */
type Kind =
  | { kind: 'text'; default: string | null; placeholder: string }
  | { kind: 'url'; default: null; placeholder: string }
  | { kind: 'list'; default: readonly string[]; placeholder: string }
  | { kind: 'integer'; default: number; min: number; max: number; placeholder: string }
  | { kind: 'switch'; default: false }
  | { kind: 'choice'; default: string; choices: readonly string[] };

/** One setting. */
export type Setting = Kind & {
  /** One line for `--help`. */
  help: string;
};

/** Every setting by the name that it has in a configuration file; flag and environment variable are spelled from it. */
export const settingTable = {
  data: {
    kind: 'text',
    default: './tidemark-data',
    placeholder: 'DIR',
    help: 'directory that holds all data',
  },
  host: { kind: 'text', default: '127.0.0.1', placeholder: 'HOST', help: 'address to listen on' },
  port: {
    kind: 'integer',
    default: 8080,
    min: 0,
    max: 65535,
    placeholder: 'PORT',
    help: 'TCP port to listen on; 0 takes a free one',
  },
  baseUrl: {
    kind: 'url',
    default: null,
    placeholder: 'URL',
    help: 'address under which clients reach the service (default: http://HOST:PORT)',
  },
  logLevel: {
    kind: 'choice',
    default: 'info',
    choices: ['debug', 'info', 'warn', 'error', 'silent'],
    help: 'how much to log',
  },
  demo: { kind: 'switch', default: false, help: 'fill an empty data directory with a small demo plant' },
  namespace: {
    kind: 'list',
    default: ['service', 'clarify'],
    placeholder: 'NAMES',
    help: 'names of the data-reading namespace, comma-separated, the primary one first',
  },
  json: { kind: 'switch', default: false, help: 'print the result as JSON' },
  credentials: { kind: 'text', default: null, placeholder: 'FILE', help: 'credentials file' },
  time: {
    kind: 'text',
    default: null,
    placeholder: 'COLUMN',
    help: 'column with the row times (default: found by its name and content)',
  },
  separator: {
    kind: 'text',
    default: null,
    placeholder: 'CHAR',
    help: 'field separator, one character or "tab" (default: found among , ; tab |)',
  },
  decimal: { kind: 'choice', default: '.', choices: ['.', ','], help: 'decimal mark of the numbers' },
  zone: {
    kind: 'text',
    default: 'UTC',
    placeholder: 'ZONE',
    help: 'time zone of times without an offset, for example Europe/Oslo',
  },
  prefix: { kind: 'text', default: '', placeholder: 'TEXT', help: 'put before every input key' },
} as const satisfies Record<string, Setting>;

/** The name of a setting. */
export type SettingName = keyof typeof settingTable;

/** The type of a setting's value. */
export type SettingValue<Name extends SettingName> = (typeof settingTable)[Name] extends infer S
  ? S extends { kind: 'integer' }
    ? number
    : S extends { kind: 'switch' }
      ? boolean
      : S extends { kind: 'list' }
        ? readonly string[]
        : S extends { kind: 'choice'; choices: readonly (infer Choice)[] }
          ? Choice
          : S extends { default: null }
            ? string | null
            : string
  : never;

/** Where a value was found. */
export type Origin = 'flag' | 'environment' | 'file' | 'default';

/** What was given in each place; the content of the file is not checked yet. */
export interface Sources {
  /** By setting name; only flags that were given. `limit` holds `NAME=VALUE` texts. */
  flags: Readonly<Record<string, unknown>>;
  env: Readonly<Record<string, string | undefined>>;
  /** Null when there is no configuration file. */
  file: { path: string; content: unknown } | null;
}

/** A mistake of the one who configures; the message names the place, the value and what is allowed. */
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

/** Decides every setting and limit: flag, then environment, then file, then default. Throws {@link ConfigError}. */
export function resolveConfig(sources: Sources): Config {
  const file = checkFile(sources.file);
  checkEnvironment(sources.env);
  const origins = new Map<string, Origin>();
  const settings: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(settingTable)) {
    const found = [
      given('flag', flagOf(name), sources.flags[name]),
      given('environment', envOf(name), readEnv(sources.env, name)),
      given('file', `"${name}" in ${sources.file?.path}`, file.settings[name]),
    ].find((candidate) => candidate.value !== undefined);
    settings[name] = found === undefined ? setting.default : readValue(setting, found);
    origins.set(name, found?.origin ?? 'default');
  }
  const limits = resolveLimits(sources, file.limits, origins);
  return Object.freeze({ settings: Object.freeze(settings) as Config['settings'], limits, origins });
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

interface Given {
  origin: Origin;
  /** How a message names the place. */
  place: string;
  value: unknown;
}

function given(origin: Origin, place: string, value: unknown): Given {
  return { origin, place, value };
}

function readValue(setting: Setting, { place, value }: Given): unknown {
  switch (setting.kind) {
    case 'text':
      return typeof value === 'string' ? value : refuse(place, 'a text', value);
    case 'url':
      return readUrl(place, value);
    case 'list':
      return readList(place, value);
    case 'integer':
      return readInteger(place, value, setting);
    case 'switch':
      return readSwitch(place, value);
    case 'choice':
      return (
        setting.choices.find((choice) => choice === value) ?? refuseChoice(place, setting.choices, value)
      );
  }
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

/** The text before and after the first `mark`; null where there is none. */
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
    checkName(file.path, name, [...Object.keys(settingTable), 'limits']);
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

/** Kubernetes sets these for a Service that is named "tidemark"; they are no settings of ours. */
const foreignEnv = /^TIDEMARK_(SERVICE_(HOST|PORT)(_\w+)?|PORT_\d+_(TCP|UDP)(_\w+)?)$/;

/** A variable that is empty counts as not set, as does Kubernetes' `TIDEMARK_PORT=tcp://…`. */
function readEnv(env: Sources['env'], name: string): string | undefined {
  const value = env[envOf(name)];
  return name === 'port' && value?.startsWith('tcp://') ? undefined : value || undefined;
}

function checkEnvironment(env: Sources['env']): void {
  const known = [
    ...Object.keys(settingTable).map(envOf),
    ...Object.keys(limitTable).map(limitEnvOf),
    'TIDEMARK_CONFIG',
  ];
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
