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

/** Every setting by the name that it has in a configuration file; flag and environment variable are spelled from it. */
export const settingTable = {
  data: {
    kind: 'text',
    default: './tidemark-data',
    placeholder: 'DIR',
    help: 'directory that holds all data',
  },
  metaUrl: {
    kind: 'address',
    default: null,
    placeholder: 'URL',
    schemes: ['postgres', 'postgresql'],
    help: 'keep the metadata in PostgreSQL, postgres://USER:PASSWORD@HOST:PORT/DATABASE, so that several nodes can share it; several addresses are separated by commas; needs --series-url',
  },
  seriesUrl: {
    kind: 'address',
    default: null,
    placeholder: 'URL',
    schemes: ['http', 'https'],
    help: 'keep the points in ClickHouse, http://USER:PASSWORD@HOST:PORT/DATABASE; several addresses are separated by commas; needs --meta-url',
  },
  seriesCluster: {
    kind: 'text',
    default: null,
    placeholder: 'NAME',
    help: 'name of the cluster in system.clusters of ClickHouse, whose shards keep the points',
  },
  seriesReplicated: {
    kind: 'switch',
    default: false,
    help: 'keep each shard of --series-cluster on all of its replicas',
  },
  host: { kind: 'text', default: '127.0.0.1', placeholder: 'HOST', help: 'address to listen on' },
  port: {
    kind: 'integer',
    default: 8080,
    min: 0,
    max: 65535,
    placeholder: 'PORT',
    help: 'TCP port to listen on; 0 uses a free one',
  },
  threads: {
    kind: 'integer',
    default: 0,
    min: 0,
    max: 64,
    placeholder: 'COUNT',
    help: 'threads that serve clients; 0: one for each processor, at most 16, and at most one for each 512 MiB of memory',
  },
  mqttPort: {
    kind: 'port',
    default: null,
    placeholder: 'PORT',
    help: 'serve MQTT over TCP on this port, usually 1883; 0 uses a free one (default: off)',
  },
  mqttsPort: {
    kind: 'port',
    default: null,
    placeholder: 'PORT',
    help: 'serve MQTT over TLS on this port, usually 8883; needs --tls-cert (default: off)',
  },
  mqttUrl: {
    kind: 'address',
    default: null,
    placeholder: 'URL',
    schemes: ['mqtt', 'mqtts'],
    help: 'use an existing MQTT broker, mqtt://USER:PASSWORD@HOST:PORT or mqtts://…, in place of the one of --mqtt-port',
  },
  mqttCa: {
    kind: 'text',
    default: null,
    placeholder: 'FILE',
    help: 'certificate of the CA that issued the certificate of the broker of --mqtt-url, PEM, where the system does not know it',
  },
  mqttVersion: {
    kind: 'choice',
    default: 'auto',
    choices: ['auto', '5', '3.1.1'],
    help: 'version of MQTT that is spoken with the broker of --mqtt-url; auto: 5, or 3.1.1 where the broker refuses 5',
  },
  mqttAuthToken: {
    kind: 'secret',
    default: null,
    placeholder: 'FILE',
    help: 'token with which another MQTT broker may ask /v1/mqtt/auth and /v1/mqtt/acl about its clients, at least 16 characters; without one there are no such paths',
  },
  baseUrl: {
    kind: 'url',
    default: null,
    placeholder: 'URL',
    help: 'address under which clients reach the service (default: http://HOST:PORT)',
  },
  tlsCert: {
    kind: 'text',
    default: null,
    placeholder: 'FILE',
    help: 'certificate with its chain, PEM: serve HTTPS; read again when it changes; needs --tls-key',
  },
  tlsKey: {
    kind: 'text',
    default: null,
    placeholder: 'FILE',
    help: 'private key of --tls-cert, PEM',
  },
  audiences: {
    kind: 'list',
    default: [],
    placeholder: 'URLS',
    help: 'further audiences that clients may request tokens for, comma-separated, besides the address of this service',
  },
  trustProxy: {
    kind: 'networks',
    default: [],
    placeholder: 'ADDRESSES',
    help: 'proxies whose X-Forwarded-For and -Proto are trusted: addresses, networks, loopback, uniquelocal',
  },
  insecure: {
    kind: 'switch',
    default: false,
    help: 'allow listening on non-loopback addresses without TLS or a trusted proxy',
  },
  metricsToken: {
    kind: 'secret',
    default: null,
    placeholder: 'FILE',
    help: 'bearer token for /metrics, at least 16 characters; without one, /metrics serves this machine only',
    live: true,
  },
  metricsListen: {
    kind: 'endpoint',
    default: null,
    placeholder: 'HOST:PORT',
    help: 'serve /metrics only at this address, in plain HTTP, instead of on the port of the API',
  },
  auditKeepDays: {
    kind: 'integer',
    default: 0,
    min: 0,
    max: 36_500,
    placeholder: 'DAYS',
    help: 'days that administrative acts are kept in the audit; 0 keeps all',
    live: true,
  },
  adminName: {
    kind: 'text',
    default: null,
    placeholder: 'NAME',
    help: 'create this administrator if there are no people yet; needs --admin-password-file',
  },
  adminPassword: {
    kind: 'secret',
    default: null,
    placeholder: 'FILE',
    isPhrase: true,
    help: 'password of --admin-name, at least 12 characters',
  },
  logLevel: {
    kind: 'choice',
    default: 'info',
    choices: ['debug', 'info', 'warn', 'error', 'silent'],
    help: 'minimum level of log messages',
    live: true,
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
  ca: {
    kind: 'text',
    default: null,
    placeholder: 'FILE',
    help: 'certificate of the CA that issued the certificate of the service, PEM, where the system does not know it',
  },
  time: {
    kind: 'text',
    default: null,
    placeholder: 'COLUMN',
    help: 'column with the row times (default: detected by its name and content)',
  },
  separator: {
    kind: 'text',
    default: null,
    placeholder: 'CHAR',
    help: 'field separator, one character or "tab" (default: detected among , ; tab |)',
  },
  decimal: {
    kind: 'choice',
    default: 'auto',
    choices: ['auto', '.', ','],
    help: 'decimal mark of the numbers; auto detects it in the first rows',
  },
  zone: {
    kind: 'text',
    default: 'UTC',
    placeholder: 'ZONE',
    help: 'time zone of times without an offset, for example Europe/Oslo',
  },
  prefix: { kind: 'text', default: '', placeholder: 'TEXT', help: 'prefix for every input key' },
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
