/** What a server says of itself when a connection is made, and what this program needs of it. */
import { conflict } from '#model/error';
import { unavailable } from './errors.ts';

/** Of a server and a database. */
export interface ServerFacts {
  /** Whether it only follows a primary. */
  standby: boolean;
  /** Major version times 10,000, and the minor one. */
  version: number;
  encoding: string;
}

/** The oldest version that this program works with. */
const versionMin = 120_000;

/** Fails with `unavailable` for a standby, with `conflict` for what the operator has to change. */
export function checkServer({ standby, version, encoding }: ServerFacts): void {
  if (version < versionMin) {
    throw conflict(`PostgreSQL ${printVersion(version)} is too old for the metadata: use 12 or newer`);
  }
  if (encoding !== 'UTF8') {
    throw conflict(
      `The database of the metadata has the encoding ${encoding}: create one with "create database NAME encoding 'UTF8' template template0"`,
    );
  }
  if (standby) throw unavailable('this server is a standby, which cannot be written to');
}

/** The version as the server prints it, such as `15.4`. */
export function printVersion(version: number): string {
  return `${Math.floor(version / 10_000)}.${version % 10_000}`;
}
