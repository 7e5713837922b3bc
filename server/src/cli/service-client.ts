/** The client of commands that call a running service: credentials file, certificates, tokens that are kept, patience. */
import { readFileSync } from 'node:fs';
import { Client, type CredentialsFile, ServiceError, trustCertificates, type Version } from '#client';
import type { Config } from '#config';
import { readCredentialsFile } from './credentials-path.ts';
import { tokenFile } from './token-file.ts';
import { CommandError, UsageError } from './usage.ts';

/** A service, and the credentials with which it is called. */
export interface Service<V extends Version> {
  client: Client<V>;
  credentials: CredentialsFile;
}

/** How a command calls. */
export interface ServiceOptions<V extends Version> {
  config: Config;
  env: Readonly<Record<string, string | undefined>>;
  version: V;
  /** Gets a line before each wait. */
  say(text: string): void;
}

/** A command goes on through a restart of the service, about four minutes, and waits as long as the service asks it to, up to ten. */
const patience = { retries: 9, firstMs: 500, longestMs: 600_000 };

/** An insert of a slow service on a slow disk. */
const timeoutMs = 120_000;

/** The service of the file that `--credentials` names. Throws {@link UsageError} when none is named, or it is not a credentials file. */
export async function openService<V extends Version>(options: ServiceOptions<V>): Promise<Service<V>> {
  const { credentials: path, ca } = options.config.settings;
  if (path === null || path === '') {
    throw new UsageError('--credentials FILE is needed; "tidemark integration create" writes one');
  }
  const credentials = await readCredentialsFile(path);
  if (ca !== null) trust(ca);
  const client = Client.fromFile<V>(credentials, {
    version: options.version,
    retry: patience,
    timeoutMs,
    tokens: tokenFile(credentials, options.env),
    onRetry: (error, pauseMs) =>
      options.say(`tidemark: ${error.message}; next attempt in ${(pauseMs / 1000).toFixed(1)} s`),
  });
  return { client, credentials };
}

function trust(path: string): void {
  try {
    trustCertificates(readFileSync(path, 'utf8'));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new UsageError(`--ca: cannot use ${path}: ${code === 'ENOENT' ? 'no such file' : message}`);
  }
}

/** The result of calls to a service; a failure becomes what a command reports. */
export async function reporting<Result>(calls: Promise<Result>, apiUrl: string): Promise<Result> {
  return calls.catch((error) => Promise.reject(commandError(error, apiUrl)));
}

/** What a command reports of a failed call. */
export function commandError(error: unknown, apiUrl: string): unknown {
  if (!(error instanceof ServiceError)) return error;
  const { kind, message, cause } = error;
  const { origin } = new URL(apiUrl);
  if (kind === 'certificate') {
    const code = /\(([A-Z_0-9]+)\)/.exec(message)?.[1] ?? (cause as Error).message;
    return new CommandError(
      `the certificate of ${origin} is not trusted (${code}); if it is your own, name its CA's certificate with --ca FILE or in NODE_EXTRA_CA_CERTS`,
    );
  }
  if (kind === 'http') return new CommandError(`${origin} answered ${message.replace(/^HTTP /, '')}`);
  return kind === 'rpc' ? new CommandError(`the service refused: ${message}`) : new CommandError(message);
}
