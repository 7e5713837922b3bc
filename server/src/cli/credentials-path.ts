/** Credentials files on disk (A4): written once, for their owner's eyes; read and checked. */
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import type { CredentialsFile } from '#domain/identity/credentials-file';
import { idPattern } from '#model/xid';
import { printJson } from './terminal.ts';
import { CommandError, UsageError } from './usage.ts';

/** Only the owner reads and writes. */
const ownerOnly = 0o600;

/** A place for a credentials file, taken before the credential is made so that its secret cannot be lost. */
export class CredentialsPath {
  readonly path: string;
  readonly #force: boolean;

  private constructor(path: string, force: boolean) {
    this.path = path;
    this.#force = force;
  }

  /** Takes the place. Throws {@link CommandError} where a file exists, unless `force`, or cannot be made. */
  static async take(path: string, force: boolean): Promise<CredentialsPath> {
    if (force) await rm(temporaryOf(path), { force });
    await writeFile(force ? temporaryOf(path) : path, '', { mode: ownerOnly, flag: 'wx' }).catch((error) => {
      throw new CommandError(takeProblem(path, error));
    });
    return new CredentialsPath(path, force);
  }

  /** Writes the file whole. */
  async write(content: CredentialsFile): Promise<void> {
    const path = this.#force ? temporaryOf(this.path) : this.path;
    await writeFile(path, printJson(content));
    if (this.#force) await rename(path, this.path);
  }

  /** Removes the file that was created, if there is nothing to write. */
  async release(): Promise<void> {
    await rm(this.#force ? temporaryOf(this.path) : this.path, { force: true });
  }
}

function temporaryOf(path: string): string {
  return `${path}.new`;
}

function takeProblem(path: string, error: NodeJS.ErrnoException): string {
  if (error.code === 'EEXIST') return `${path} exists already; choose another name or add --force`;
  return `cannot write ${path}: ${error.code === 'ENOENT' ? 'no such directory' : error.message}`;
}

/** Reads a credentials file. Throws {@link UsageError} when it is not one. */
export async function readCredentialsFile(path: string): Promise<CredentialsFile> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`cannot read ${path}: ${error.code === 'ENOENT' ? 'no such file' : error.message}`);
  });
  const content = parseCredentials(text);
  if (content === null) throw new UsageError(`${path} is not a credentials file`);
  return content;
}

/** No message quotes the text: it holds a secret. */
function parseCredentials(text: string): CredentialsFile | null {
  let file: Partial<CredentialsFile>;
  try {
    file = JSON.parse(text);
  } catch {
    return null;
  }
  const { type, clientId, clientSecret } = file?.credentials ?? {};
  const valid =
    URL.canParse(file?.apiUrl ?? '') &&
    idPattern.test(file.integration ?? '') &&
    (type === 'client-credentials' || type === 'basic-auth') &&
    typeof clientId === 'string' &&
    typeof clientSecret === 'string';
  return valid ? (file as CredentialsFile) : null;
}
