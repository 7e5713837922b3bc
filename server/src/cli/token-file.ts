/** Access tokens that are kept between commands: a service gives out few of them a minute, and each import would ask for one. */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { CredentialsFile, StoredToken, TokenStore } from '#client';
import { systemClock } from '#system-environment';

/**
 * The place of a credential's token in the user's cache directory, readable by its owner only. Another secret or address is
 * another file. Where nothing can be written, nothing is kept.
 */
export function tokenFile(
  { apiUrl, credentials }: CredentialsFile,
  env: Readonly<Record<string, string | undefined>>,
): TokenStore {
  const { clientId, clientSecret } = credentials;
  const key = createHash('sha256')
    .update([apiUrl, clientId, clientSecret].join('\n'))
    .digest('hex')
    .slice(0, 32);
  const directory = join(env.XDG_CACHE_HOME || join(env.HOME || homedir(), '.cache'), 'tidemark', 'tokens');
  const path = join(directory, `${key}.json`);
  return {
    load: () => readToken(path),
    save: (token) =>
      (token === null ? rm(path, { force: true }) : write(directory, path, token)).catch(() => {}),
  };
}

async function write(directory: string, path: string, { token, lifeMs }: StoredToken): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await removeExpired(directory);
  const temporary = `${path}.${process.pid}`;
  await writeFile(temporary, JSON.stringify({ token, expiresAtMs: nowMs() + lifeMs }), { mode: 0o600 });
  await rename(temporary, path);
}

function nowMs(): number {
  return systemClock.nowUs() / 1000;
}

/** Null if the file is missing or has another form. */
async function readToken(path: string): Promise<StoredToken | null> {
  try {
    const { token, expiresAtMs } = JSON.parse(await readFile(path, 'utf8'));
    return typeof token === 'string' && typeof expiresAtMs === 'number'
      ? { token, lifeMs: expiresAtMs - nowMs() }
      : null;
  } catch {
    return null;
  }
}

/** Credentials that are no longer used leave no files behind. */
async function removeExpired(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    const kept = await readToken(join(directory, name));
    if (kept !== null && kept.lifeMs < 0) await rm(join(directory, name), { force: true });
  }
}
