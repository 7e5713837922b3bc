/** Calls made in this browser, to repeat them; kept in its storage, and never with a secret in them. */

/** A call that was made. */
export interface PastCall {
  method: string;
  version: string;
  params: unknown;
  /** When, ms since 1970. */
  atMs: number;
  ms: number;
  isDone: boolean;
}

const key = 'tidemark.calls';

/** The number of calls that are kept, and the characters of the parameters of each. */
const keptMax = 40;
const charactersMax = 20_000;

/** The calls, the newest first. */
export function readHistory(storage: Storage = localStorage): PastCall[] {
  try {
    const stored: unknown = JSON.parse(storage.getItem(key) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isPastCall) : [];
  } catch {
    return [];
  }
}

/** The calls with one more, kept if it may be. The same call before it goes. */
export function remember(call: PastCall, storage: Storage = localStorage): PastCall[] {
  const text = JSON.stringify(call.params) ?? '';
  const before = readHistory(storage);
  if (hasSecret(call.params) || text.length > charactersMax) return before;
  const isSame = (other: PastCall) =>
    other.method === call.method && other.version === call.version && JSON.stringify(other.params) === text;
  const next = [call, ...before.filter((other) => !isSame(other))].slice(0, keptMax);
  try {
    storage.setItem(key, JSON.stringify(next));
  } catch {
    // Storage may be full or forbidden: then there is no history.
  }
  return next;
}

/** Forgets every call. */
export function forget(storage: Storage = localStorage): void {
  try {
    storage.removeItem(key);
  } catch {
    // Then there was none.
  }
}

/** Whether a member is called like a secret, at any depth. */
export function hasSecret(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(
    ([name, member]) => /password|secret|^current$|^next$|token/i.test(name) || hasSecret(member),
  );
}

function isPastCall(value: unknown): value is PastCall {
  const call = value as PastCall | null;
  return (
    typeof call?.method === 'string' && typeof call.version === 'string' && typeof call.atMs === 'number'
  );
}
