/** The two stores of `tidemark migrate`: a data directory and servers, one of which is copied to the other. */
import { existsSync } from 'node:fs';
import type { WholeStore } from '#domain/migration/migration';
import type { Log } from '#model/environment';
import { AppError } from '#model/error';
import type { Limits } from '#model/limits';
import type { ClusterAddresses } from '#open-cluster';
import { systemClock, systemRandom, systemStopwatch } from '#system-environment';
import { findingsOf } from './check-stores.ts';
import type { Call } from './command.ts';
import { CommandError } from './usage.ts';

/** Where a store is. */
export type Place = { name: string } & ({ directory: string } | { cluster: ClusterAddresses });

/** How to open a store. */
export interface OpeningOptions {
  limits: Limits;
  log: Log;
}

/** An open store of a copy. */
export interface OpenedStore extends WholeStore, AsyncDisposable {
  name: string;
  /** Fails when others may use it. */
  require(): void;
}

/** Opens the store that is copied; unless it is in use, no service can start on it until it is closed. */
export async function openCopied(
  place: Place,
  options: OpeningOptions & { isInUse: boolean },
): Promise<OpenedStore> {
  if ('directory' in place) await requireStore(place.directory);
  try {
    return await open(place, { ...options, isTransfer: false, isAlone: !options.isInUse });
  } catch (error) {
    if (!(error instanceof AppError) || !/already served|used these servers/.test(error.message)) throw error;
    throw new CommandError(
      `${error.message}. To shorten the time without a service, copy the points before with --while-serving`,
    );
  }
}

/** Opens the store that is filled, making it if it is missing; only to look at it where `isLooking`. */
export function openTarget(
  place: Place,
  options: OpeningOptions & { isLooking?: boolean },
): Promise<OpenedStore> {
  return open(place, { ...options, isTransfer: true, isAlone: options.isLooking !== true });
}

/** Whether there is a store at a place. Fails when there are servers that cannot be used. */
export async function targetExists(place: Place, call: Call): Promise<boolean> {
  if ('directory' in place) return existsSync(await fileIn(place.directory));
  const findings = await findingsOf(place.cluster, call);
  const problem = findings.find(({ kind }) => kind === 'problem');
  if (problem !== undefined)
    throw new CommandError(`${problem.place}: ${problem.text}; "tidemark check-stores" says more`);
  return !findings.some(({ text }) => text.includes('no tables yet'));
}

interface Opening extends OpeningOptions {
  isTransfer: boolean;
  isAlone: boolean;
}

/** Rows are read by the thousand, however long their texts are. */
function limitsOf(limits: Limits): Limits {
  return { ...limits, resourceCharactersMax: Number.MAX_SAFE_INTEGER };
}

async function open(place: Place, { limits, log, isTransfer, isAlone }: Opening): Promise<OpenedStore> {
  const { name } = place;
  const options = { limits: limitsOf(limits), log, isTransfer };
  if ('directory' in place) {
    const { openSqlite } = await import('#storage/sqlite/store');
    const { directory } = place;
    const store = await openSqlite({
      ...options,
      directory,
      clock: systemClock,
      serving: isAlone,
      readerCount: 2,
    });
    return { ...store, name, require: () => {}, [Symbol.asyncDispose]: () => store.close() };
  }
  const { openCluster } = await import('#open-cluster');
  const store = await openCluster(
    { ...options, addresses: place.cluster },
    { log, random: systemRandom, stopwatch: systemStopwatch },
  );
  try {
    const require = isAlone ? await store.exclude() : () => {};
    return { ...store, name, require, [Symbol.asyncDispose]: () => store.close() };
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function requireStore(directory: string): Promise<void> {
  const file = await fileIn(directory);
  if (!existsSync(file)) throw new CommandError(`there is no store to copy: ${file} is missing`);
}

async function fileIn(directory: string): Promise<string> {
  const { sqliteFiles } = await import('#storage/sqlite/files');
  return sqliteFiles.fileIn(directory);
}
