/** Checks before an integration or a credential is changed. */
import { AppError, invalidParams } from '#model/error';
import { characterCount } from '#model/text';
import type { Credential, Integration, MetaReads } from '#storage/meta-store';

/** Characters of an integration's name and a credential's label at most. */
const nameMax = 128;

/** An integration. `not-found`. */
export async function findIntegration(
  reads: Pick<MetaReads, 'integrations'>,
  id: string,
): Promise<Integration> {
  const found = await reads.integrations.find(id);
  if (found === undefined) throw notFound('integration', id);
  return found;
}

/** A credential. `not-found`. */
export async function findCredential(reads: Pick<MetaReads, 'credentials'>, id: string): Promise<Credential> {
  const found = await reads.credentials.find(id);
  if (found === undefined) throw notFound('credential', id);
  return found;
}

function notFound(what: string, id: string): AppError {
  return new AppError('not-found', `no ${what} has the ID ${id}`);
}

/** `invalid-params` at `field` for a text that is too long, shorter than `min` characters, or not valid Unicode. */
export function checkText(field: string, text: string, min: number): void {
  const length = characterCount(text);
  if (text.isWellFormed() && !text.includes('\0') && length >= min && length <= nameMax) return;
  throw invalidParams({
    [field]: [`must be Unicode text of ${min} to ${nameMax} characters, got ${length}`],
  });
}
