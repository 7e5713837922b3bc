/** Every setting of the program: its kind, its default, and one line that explains it. config.ts decides the values. */

/** What a setting's value may be. */
type Kind =
  | { kind: 'text'; default: string | null; placeholder: string }
  | { kind: 'url'; default: null; placeholder: string }
  | { kind: 'list'; default: readonly string[]; placeholder: string }
  /** IP addresses, networks such as `10.0.0.0/8`, or the words in {@link networkWords}. */
  | { kind: 'networks'; default: readonly string[]; placeholder: string }
  /** `HOST:PORT`, an IPv6 host in brackets. */
  | { kind: 'endpoint'; default: null; placeholder: string }
  /** A secret: no option takes its value; `--…-file`, `…_FILE` and `…File` take a file that contains it. */
  | { kind: 'secret'; default: null; placeholder: string; isPhrase?: boolean }
  /**
   * The addresses of another server, which may contain a password: a setting like any other that can also be given in a file, as a
   * secret can, and that is never shown.
   */
  | { kind: 'address'; default: null; placeholder: string; schemes: readonly string[] }
  | { kind: 'integer'; default: number; min: number; max: number; placeholder: string }
  /** A TCP port; 0 takes a free one. Without one, that listener is off. */
  | { kind: 'port'; default: null; placeholder: string }
  | { kind: 'switch'; default: false }
  | { kind: 'choice'; default: string; choices: readonly string[] };

/** Names for the private networks that a proxy may be in. */
export const networkWords = ['loopback', 'linklocal', 'uniquelocal'] as const;

/** One setting. */
export type Setting = Kind & {
  /** One line for `--help`. */
  help: string;
  /** Whether a running service applies a new value on SIGHUP. */
  live?: true;
};

/** The default follows the placeholder; a setting without one is null. */
function text<Default extends string | null>(placeholder: string, value: Default, help: string) {
  return { kind: 'text', default: value, placeholder, help } as const;
}

function file(help: string) {
  return text('FILE', null, help);
}

function list(placeholder: string, value: readonly string[], help: string) {
  return { kind: 'list', default: value, placeholder, help } as const;
}

function secret(help: string) {
  return { kind: 'secret', default: null, placeholder: 'FILE', help } as const;
}

function address(schemes: readonly string[], help: string) {
  return { kind: 'address', default: null, placeholder: 'URL', schemes, help } as const;
}

function integer(placeholder: string, value: number, [min, max]: [number, number], help: string) {
  return { kind: 'integer', default: value, min, max, placeholder, help } as const;
}

function port(help: string) {
  return { kind: 'port', default: null, placeholder: 'PORT', help } as const;
}

function flag(help: string) {
  return { kind: 'switch', default: false, help } as const;
}

function choice<const Choice extends string>(value: Choice, choices: readonly Choice[], help: string) {
  return { kind: 'choice', default: value, choices, help } as const;
}

function live<Of extends Setting>(setting: Of) {
  return { ...setting, live: true } as const;
}

/** Every setting by the name that it has in a configuration file; flag and environment variable are spelled from it. */
export const settingTable = {
  data: text('DIR', './tidemark-data', 'directory that holds all data'),
  metaUrl: address(
    ['postgres', 'postgresql'],
    'keep the metadata in PostgreSQL, postgres://USER:PASSWORD@HOST:PORT/DATABASE, so that several nodes can share it; several addresses are separated by commas; needs --series-url',
  ),
  seriesUrl: address(
    ['http', 'https'],
    'keep the points in ClickHouse, http://USER:PASSWORD@HOST:PORT/DATABASE; several addresses are separated by commas; needs --meta-url',
  ),
  seriesCluster: text(
    'NAME',
    null,
    'name of the cluster in system.clusters of ClickHouse, whose shards keep the points',
  ),
  seriesReplicated: flag('keep each shard of --series-cluster on all of its replicas'),
  host: text('HOST', '127.0.0.1', 'address to listen on'),
  port: integer('PORT', 8080, [0, 65535], 'TCP port to listen on; 0 uses a free one'),
  threads: integer(
    'COUNT',
    0,
    [0, 64],
    'threads that serve clients; 0: one for each processor, at most 16, and at most one for each 512 MiB of memory',
  ),
  shareProcessors: flag(
    'let the system move service threads between processors, where other programs need these as well (Linux)',
  ),
  mqttPort: port('serve MQTT over TCP on this port, usually 1883; 0 uses a free one (default: off)'),
  mqttsPort: port('serve MQTT over TLS on this port, usually 8883; needs --tls-cert (default: off)'),
  mqttUrl: address(
    ['mqtt', 'mqtts'],
    'use an existing MQTT broker, mqtt://USER:PASSWORD@HOST:PORT or mqtts://…, in place of the one of --mqtt-port',
  ),
  mqttCa: file(
    'certificate of the CA that issued the certificate of the broker of --mqtt-url, PEM, where the system does not know it',
  ),
  mqttVersion: choice(
    'auto',
    ['auto', '5', '3.1.1'],
    'version of MQTT that is spoken with the broker of --mqtt-url; auto: 5, or 3.1.1 where the broker refuses 5',
  ),
  mqttAuthToken: secret(
    'token with which another MQTT broker may ask /v1/mqtt/auth and /v1/mqtt/acl about its clients, at least 16 characters; without one there are no such paths',
  ),
  baseUrl: {
    kind: 'url',
    default: null,
    placeholder: 'URL',
    help: 'address under which clients reach the service (default: http://HOST:PORT)',
  },
  tlsCert: file('certificate with its chain, PEM: serve HTTPS; read again when it changes; needs --tls-key'),
  tlsKey: file('private key of --tls-cert, PEM'),
  audiences: list(
    'URLS',
    [],
    'further audiences that clients may request tokens for, comma-separated, besides the address of this service',
  ),
  trustProxy: {
    kind: 'networks',
    default: [],
    placeholder: 'ADDRESSES',
    help: 'proxies whose X-Forwarded-For and -Proto are trusted: addresses, networks, loopback, uniquelocal',
  },
  insecure: flag('allow listening on non-loopback addresses without TLS or a trusted proxy'),
  metricsToken: live(
    secret(
      'bearer token for /metrics, at least 16 characters; without one, /metrics serves this machine only',
    ),
  ),
  metricsListen: {
    kind: 'endpoint',
    default: null,
    placeholder: 'HOST:PORT',
    help: 'serve /metrics only at this address, in plain HTTP, instead of on the port of the API',
  },
  auditKeepDays: live(
    integer('DAYS', 0, [0, 36_500], 'days that administrative acts are kept in the audit; 0 keeps all'),
  ),
  adminName: text(
    'NAME',
    null,
    'create this administrator if there are no people yet; needs --admin-password-file',
  ),
  adminPassword: { ...secret('password of --admin-name, at least 12 characters'), isPhrase: true },
  logLevel: live(
    choice('info', ['debug', 'info', 'warn', 'error', 'silent'], 'minimum level of log messages'),
  ),
  demo: flag('fill an empty data directory with a small demo plant'),
  namespace: list(
    'NAMES',
    ['service', 'clarify'],
    'names of the data-reading namespace, comma-separated, the primary one first',
  ),
  json: flag('print the result as JSON'),
  credentials: file('credentials file'),
  ca: file(
    'certificate of the CA that issued the certificate of the service, PEM, where the system does not know it',
  ),
  time: text('COLUMN', null, 'column with the row times (default: detected by its name and content)'),
  separator: text(
    'CHAR',
    null,
    'field separator, one character or "tab" (default: detected among , ; tab |)',
  ),
  decimal: choice(
    'auto',
    ['auto', '.', ','],
    'decimal mark of the numbers; auto detects it in the first rows',
  ),
  zone: text('ZONE', 'UTC', 'time zone of times without an offset, for example Europe/Oslo'),
  prefix: text('TEXT', '', 'prefix for every input key'),
} as const satisfies Record<string, Setting>;

/** The settings that say where everything is stored. */
export const storeSettings = ['data', 'metaUrl', 'seriesUrl', 'seriesCluster', 'seriesReplicated'] as const;

/** The name of a setting. */
export type SettingName = keyof typeof settingTable;

/** The type of a setting's value. */
export type SettingValue<Name extends SettingName> = (typeof settingTable)[Name] extends infer S
  ? S extends { kind: 'integer' }
    ? number
    : S extends { kind: 'port' }
      ? number | null
      : S extends { kind: 'switch' }
        ? boolean
        : S extends { kind: 'list' | 'networks' }
          ? readonly string[]
          : S extends { kind: 'choice'; choices: readonly (infer Choice)[] }
            ? Choice
            : S extends { default: null }
              ? string | null
              : string
  : never;

/** Whether the value of a setting must not be shown. */
export function isHiddenSetting({ kind }: Setting): boolean {
  return kind === 'secret' || kind === 'address';
}

/** Whether a running service takes a new value of a setting. */
export function isLiveSetting(name: SettingName): boolean {
  return (settingTable[name] as Setting).live === true;
}
