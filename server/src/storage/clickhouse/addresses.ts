/** The addresses of the servers, as the setting names them. */
import { type AppError, conflict } from '#model/error';

/** One server. */
export interface Address {
  /** Without user, password, path. */
  origin: string;
  user: string;
  password: string;
  database: string;
}

/** A name that needs no quoting, whatever it is part of. */
const plainName = /^[A-Za-z_][A-Za-z0-9_]{0,62}$/;

/**
 * Reads addresses that are separated by commas. User, password and database may be left out of all but the first. Fails with
 * `conflict` where one cannot be read; the message does not repeat it, since it may contain a password.
 */
export function parseAddresses(urls: string): Address[] {
  const addresses: Address[] = [];
  for (const [i, text] of urls.split(',').entries())
    addresses.push(parseAddress(text.trim(), i + 1, addresses[0]));
  const databases = new Set(addresses.map(({ database }) => database));
  if (databases.size > 1)
    throw wrong(`name different databases: ${[...databases].join(', ')}; all servers must use the same one`);
  return addresses;
}

function parseAddress(text: string, place: number, first: Address | undefined): Address {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw wrong(`must have the form http(s)://user:password@host:port/database; number ${place} does not`);
  const database = decodeURIComponent(url.pathname.slice(1)) || (first?.database ?? '');
  requireName(database, `The database in address ${place} of the store of points`);
  return {
    origin: url.origin,
    user: decodeURIComponent(url.username) || (first?.user ?? 'default'),
    password: decodeURIComponent(url.password) || (first?.password ?? ''),
    database,
  };
}

/** Fails with `conflict` unless a name of a database or cluster consists of letters, digits and underscores. */
export function requireName(name: string, what: string): void {
  if (plainName.test(name)) return;
  throw conflict(
    `${what} must consist of letters, digits and underscores and not begin with a digit, got "${name}"`,
  );
}

function wrong(what: string): AppError {
  return conflict(`The addresses of the store of points ${what}`);
}
