/** Where the configuration says that the existing message broker is. */
import { readFileSync } from 'node:fs';
import type { Config } from '#config';
import type { LinkTarget } from '#transport/mqtt/link/broker-link';
import { UsageError } from './usage.ts';

const versions = { auto: [5, 4], '5': [5], '3.1.1': [4] } as const;

/** The broker of `--mqtt-url`; null: there is none. Throws {@link UsageError} when it lacks something; its value is not shown. */
export function brokerTargetOf({ mqttUrl, mqttCa, mqttVersion }: Config['settings']): LinkTarget | null {
  if (mqttUrl === null) {
    if (mqttCa === null) return null;
    throw new UsageError('--mqtt-ca is set without --mqtt-url: it is for the certificate of that broker');
  }
  const { protocol, hostname, port, username, password, pathname } = parse(mqttUrl);
  const isSecure = protocol === 'mqtts:';
  if (hostname === '' || username === '' || pathname.length > 1)
    throw new UsageError(
      '--mqtt-url must be mqtt://USER:PASSWORD@HOST:PORT or mqtts://…; its value is not shown',
    );
  if (mqttCa !== null && !isSecure)
    throw new UsageError('--mqtt-ca is set, but --mqtt-url does not begin with mqtts://');
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (isSecure ? 8883 : 1883) : Number(port),
    isSecure,
    ca: mqttCa === null ? null : readCa(mqttCa),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    versions: versions[mqttVersion],
  };
}

function parse(url: string): URL {
  try {
    const parsed = new URL(url);
    decodeURIComponent(parsed.username + parsed.password);
    return parsed;
  } catch {
    throw new UsageError(
      '--mqtt-url is not a URL: encode special characters of the password as %XX; its value is not shown',
    );
  }
}

function readCa(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(`--mqtt-ca: cannot read ${path}: ${(error as Error).message}`);
  }
}
