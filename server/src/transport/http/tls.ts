/** Certificate and key of the server: read from their files, and again when these change, without dropping a connection. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { createSecureContext, type SecureVersion, type Server } from 'node:tls';
import type { Log } from '#model/environment';

/** Where certificate and key are, PEM. */
export interface TlsFiles {
  /** The certificate, followed by those between it and the root. */
  certPath: string;
  keyPath: string;
}

/** A certificate with its key. */
export interface TlsPair {
  cert: Buffer;
  key: Buffer;
  /** When the certificate stops to be valid. */
  expiresAtMs: number;
}

/** Older versions are broken (RFC 8996). */
export const tlsVersionMin: SecureVersion = 'TLSv1.2';

/** How often the files are looked at, ms. Files that are swapped by a link, as Kubernetes does, tell no watcher. */
const lookMs = 1000;

/** Reads both files. Throws, with a message that names the file and what is wrong with it. */
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

/** Keeps a server's certificate as new as its files. */
export class TlsWatch {
  readonly #files: TlsFiles;
  readonly #server: Pick<Server, 'setSecureContext'>;
  readonly #log: Log;
  readonly #timer: NodeJS.Timeout;
  /** The files that were read last, and those of the last look. */
  #read: string;
  #seen: string;
  #expiresAtMs: number;

  /** `pair` is what the server began with. */
  constructor(files: TlsFiles, pair: TlsPair, server: Pick<Server, 'setSecureContext'>, log: Log) {
    this.#files = files;
    this.#server = server;
    this.#log = log;
    this.#expiresAtMs = pair.expiresAtMs;
    this.#read = stampOf(files);
    this.#seen = this.#read;
    this.#timer = setInterval(() => this.#look(), lookMs).unref();
  }

  /** When the certificate in use stops to be valid. */
  get expiresAtMs(): number {
    return this.#expiresAtMs;
  }

  /** Reads the files now. Files that cannot be used leave the old certificate in use; whether they could be used. */
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

  /** Reads what has changed and then stood still for one look: the two files are not replaced in one moment. */
  #look(): void {
    const stamp = stampOf(this.#files);
    if (stamp === this.#seen && stamp !== this.#read) this.reload();
    this.#seen = stamp;
  }
}

/** What changes when either file does. */
function stampOf({ certPath, keyPath }: TlsFiles): string {
  return [certPath, keyPath].map(stampOfFile).join(' ');
}

function stampOfFile(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? 'none' : `${stat.ino}:${stat.size}:${stat.mtimeMs}`;
}
