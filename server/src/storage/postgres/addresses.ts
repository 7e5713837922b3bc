/** The addresses in a URL of PostgreSQL: one server, or several of which one is the primary. */
import { type AppError, conflict } from '#model/error';

const scheme = /^postgres(ql)?:\/\//;

/**
 * One URL for each server: of several URLs with commas between them, and of one URL with several hosts, as other clients of
 * PostgreSQL write it. Fails with `conflict` when one is no such URL; the message has no password.
 */
export function addressesIn(text: string): string[] {
  const urls = text
    .trim()
    .split(/,(?=postgres(?:ql)?:\/\/)/)
    .flatMap(hostsIn);
  for (const url of urls) if (!scheme.test(url) || !URL.canParse(url)) throw notAnAddress();
  return urls;
}

function hostsIn(url: string): string[] {
  const parts = /^(postgres(?:ql)?:\/\/(?:[^@/]*@)?)([^/?]+)(.*)$/.exec(url);
  if (parts === null) return [url];
  const [, before, hosts, after] = parts;
  return hosts.split(',').map((host) => `${before}${host}${after}`);
}

function notAnAddress(): AppError {
  return conflict(
    'The address of the metadata is not a URL of PostgreSQL: write postgres://USER:PASSWORD@HOST:PORT/DATABASE, with special characters of the password percent-encoded',
  );
}

/** A URL as it may be shown: host, port and database. */
export function shown(url: string): string {
  const { hostname, port, pathname } = new URL(url);
  return `${hostname}:${port || '5432'}${pathname}`;
}
