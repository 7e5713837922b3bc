/** A value outside of React that components follow. */
import { useSyncExternalStore } from 'react';

/** A value and those that follow it. */
export interface Store<T> {
  get(): T;
  /** Notifies everyone who follows, if it is another value. */
  set(value: T): void;
  /** Calls `listener` after each change; the function that ends it. */
  subscribe(listener: () => void): () => void;
}

/** A store with its first value. */
export function createStore<T>(initial: T): Store<T> {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set: (next) => {
      if (Object.is(next, value)) return;
      value = next;
      for (const listener of listeners) listener();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** The value of a store; the component is rendered again when it changes. */
export function useStore<T>({ subscribe, get }: Store<T>): T {
  return useSyncExternalStore(subscribe, get);
}
