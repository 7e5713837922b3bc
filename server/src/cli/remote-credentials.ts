/** The credentials that remote commands need. */
import type { CredentialsFile } from '#domain/identity/credentials-file';
import { readCredentialsFile } from './credentials-path.ts';
import { UsageError } from './usage.ts';

/** Reads the file that `--credentials` names. Throws {@link UsageError} when none is named, or it is none. */
export async function requireCredentials(path: string | null): Promise<CredentialsFile> {
  if (path === null || path === '') {
    throw new UsageError('--credentials FILE is needed; "tidemark integration create" writes one');
  }
  return readCredentialsFile(path);
}
