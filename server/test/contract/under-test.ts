/** Stores as the suites of contracts open them. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';

/** One kind of store, one store of it at a time. */
export interface UnderTest<Store> {
  open(): Promise<Store>;
  /** Closes the store and opens its data again; a store in memory stays as it is. */
  reopen(): Promise<Store>;
  /** Closes the store and removes its data. */
  close(): Promise<void>;
}

/** Opens a store before the tests of a suite, and closes it after them; gives back the kind. */
export function openForSuite<Store>(kind: UnderTest<Store>, use: (store: Store) => void): UnderTest<Store> {
  before(async () => use(await kind.open()));
  after(() => kind.close());
  return kind;
}

/** A store in memory. */
export function inMemory<Store extends { close(): Promise<void> }>(newStore: () => Store): UnderTest<Store> {
  const store = newStore();
  return { open: async () => store, reopen: async () => store, close: () => store.close() };
}

/** A store in a directory of its own. */
export function inDirectory<Store>(
  openIn: (directory: string) => Promise<{ store: Store; close(): Promise<void> }>,
): UnderTest<Store> {
  let directory = '';
  let closeStore = async () => {};
  const open = async () => {
    const { store, close } = await openIn(directory);
    closeStore = close;
    return store;
  };
  return {
    async open() {
      directory = await mkdtemp(join(tmpdir(), 'tidemark-contract-'));
      return open();
    },
    async reopen() {
      await closeStore();
      return open();
    },
    async close() {
      await closeStore();
      await rm(directory, { recursive: true });
    },
  };
}
