/** The settings of `tidemark serve`, and what must hold among them before a port is opened. */
import type { Config } from '#config';
import { isLoopback } from '#model/address';
import { type SettingName, storeSettings } from '#settings';
import type { TlsFiles } from '#transport/http/tls';
import { UsageError } from './usage.ts';

/** What `serve` takes as flags, and `config` looks at. */
export const serveSettings = [
  ...storeSettings,
  'host',
  'port',
  'threads',
  'shareProcessors',
  'mqttPort',
  'mqttsPort',
  'mqttUrl',
  'mqttCa',
  'mqttVersion',
  'mqttAuthToken',
  'baseUrl',
  'tlsCert',
  'tlsKey',
  'trustProxy',
  'insecure',
  'metricsToken',
  'metricsListen',
  'auditKeepDays',
  'adminName',
  'adminPassword',
  'logLevel',
  'demo',
  'namespace',
] as const satisfies readonly SettingName[];

/** Refuses to send secrets in the clear over a network, unless that was asked for. Throws {@link UsageError}. */
export function checkExposure(settings: Config['settings']): void {
  const { host, tlsCert, insecure, trustProxy } = settings;
  checkMqtt(settings);
  if (isLoopback(host) || tlsCert !== null || insecure || trustProxy.length > 0) return;
  throw new UsageError(
    `--host ${host} can be reached from other machines, and there secrets would travel unencrypted: give --tls-cert ` +
      'and --tls-key, name the proxy that does TLS with --trust-proxy, or say --insecure',
  );
}

function checkMqtt({ host, tlsCert, insecure, mqttPort, mqttsPort, mqttUrl }: Config['settings']): void {
  if (mqttUrl !== null && (mqttPort !== null || mqttsPort !== null))
    throw new UsageError(
      '--mqtt-url names an existing broker: leave out --mqtt-port and --mqtts-port with it',
    );
  if (mqttsPort !== null && tlsCert === null)
    throw new UsageError('--mqtts-port needs a certificate: give --tls-cert and --tls-key');
  if (mqttPort === null || isLoopback(host) || insecure) return;
  throw new UsageError(
    `--mqtt-port with --host ${host}: passwords would travel unencrypted between machines: give --mqtts-port instead, or say ` +
      '--insecure',
  );
}

/** The demo fills a data directory. Throws {@link UsageError}. */
export function checkDemo({ demo, metaUrl }: Config['settings']): void {
  if (demo && metaUrl !== null)
    throw new UsageError('--demo fills a data directory: leave out --meta-url and --series-url with it');
}

/** The files of the certificate; null without TLS. */
export function tlsFilesOf({ tlsCert, tlsKey }: Config['settings']): TlsFiles | null {
  return tlsCert === null || tlsKey === null ? null : { certPath: tlsCert, keyPath: tlsKey };
}

/** Reads certificate and key once, if there are any. Throws {@link UsageError} when they cannot be used. */
export async function checkTls(settings: Config['settings']): Promise<void> {
  const files = tlsFilesOf(settings);
  if (files === null) return;
  // Loaded only where TLS is used.
  const { readTlsPair } = await import('#transport/http/tls');
  try {
    readTlsPair(files);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}
