/** The server's certificate and key, which are reloaded when their files change, without dropping connections. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { createSecureContext, type SecureVersion, type Server } from 'node:tls';
import type { Log } from '#model/environment';

/** The paths of certificate and key (PEM). */
export interface TlsFiles {
  /** The certificate, followed by intermediate certificates. */
  certPath: string;
  keyPath: string;
}

/** A certificate with its key. */
export interface TlsPair {
  cert: Buffer;
  key: Buffer;
  /** When the certificate expires. */
  expiresAtMs: number;
}

/** Older versions are broken (RFC 8996). */
export const tlsVersionMin: SecureVersion = 'TLSv1.2';

/** How often the files are checked, ms. Polling also detects files replaced by a symbolic link, as in Kubernetes. */
const lookMs = 1000;

/** Reads both files. Throws an error that names the file and the problem. */
export function readTlsPair({ certPath, keyPath }: TlsFiles): TlsPair {
  const cert = attempt(certPath, 'certificate', () => readFileSync(certPath));
  const key = attempt(keyPath, 'key', () => readFileSync(keyPath));
  const parsed = attempt(certPath, 'certificate', () => new X509Certificate(cert));
  const parsedKey = attempt(keyPath, 'key', () => createPrivateKey(key));
  if (!parsed.checkPrivateKey(parsedKey))
    throw new Error(`the TLS key ${keyPath} does not belong to the certificate ${certPath}`);
  attempt(certPath, 'certificate', () => createSecureContext({ cert, key, minVersion: tlsVersionMin }));
  return { cert, key, expiresAtMs: Date.parse(parsed.validTo) };
}

function attempt<T>(path: string, what: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' ? 'there is no such file' : message;
    throw new Error(`cannot use the TLS ${what} ${path}: ${reason}`);
  }
}

/** Reloads a server's certificate when its files change. */
export class TlsWatch {
  readonly #files: TlsFiles;
  readonly #server: Pick<Server, 'setSecureContext'>;
  readonly #log: Log;
  readonly #timer: NodeJS.Timeout;
  /** The state of the files when last read, and when last checked. */
  #read: string;
  #seen: string;
  #expiresAtMs: number;

  /** `pair` is the initial certificate. */
  constructor(files: TlsFiles, pair: TlsPair, server: Pick<Server, 'setSecureContext'>, log: Log) {
    this.#files = files;
    this.#server = server;
    this.#log = log;
    this.#expiresAtMs = pair.expiresAtMs;
    this.#read = stampOf(files);
    this.#seen = this.#read;
    this.#timer = setInterval(() => this.#look(), lookMs).unref();
  }

  /** When the current certificate expires. */
  get expiresAtMs(): number {
    return this.#expiresAtMs;
  }

  /** Reloads the files now, and returns whether they are valid. Otherwise the current certificate remains in use. */
  reload(): boolean {
    this.#read = stampOf(this.#files);
    try {
      const { cert, key, expiresAtMs } = readTlsPair(this.#files);
      this.#server.setSecureContext({ cert, key, minVersion: tlsVersionMin });
      this.#expiresAtMs = expiresAtMs;
      this.#log.info('TLS certificate loaded', { expires: new Date(expiresAtMs).toISOString() });
      return true;
    } catch (error) {
      this.#log.error('the TLS certificate in use stays, since the new one cannot be used', {
        error: (error as Error).message,
      });
      return false;
    }
  }

  /** Ends it. */
  close(): void {
    clearInterval(this.#timer);
  }

  /** Reloads files that have changed and then remained unchanged for one check, since both are not replaced at the same time. */
  #look(): void {
    const stamp = stampOf(this.#files);
    if (stamp === this.#seen && stamp !== this.#read) this.reload();
    this.#seen = stamp;
  }
}

/** A text that changes when either file does. */
function stampOf({ certPath, keyPath }: TlsFiles): string {
  return [certPath, keyPath].map(stampOfFile).join(' ');
}

function stampOfFile(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? 'none' : `${stat.ino}:${stat.size}:${stat.mtimeMs}`;
}
