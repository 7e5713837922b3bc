/** What a person has chosen for this browser: kept in its storage, never sent anywhere. */
import { useSyncExternalStore } from 'react';

/** Colours: those of the system, or one of the two. */
export type Theme = 'system' | 'light' | 'dark';

/** The density of rows and controls. */
export type Density = 'comfortable' | 'compact';

/** Every preference. */
export interface Preferences {
  theme: Theme;
  density: Density;
  /** A TZ database name; null: the browser's. */
  timeZone: string | null;
  /** Whether the navigation is reduced to its icons. */
  isNavigationNarrow: boolean;
  /** Columns that a table shows, by the table's name. */
  columns: Readonly<Record<string, readonly string[]>>;
  /** Widths that were chosen, px, by the table's name and the column's ID. */
  widths: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

const key = 'tidemark.preferences';

const initial: Preferences = {
  theme: 'system',
  density: 'comfortable',
  timeZone: null,
  isNavigationNarrow: false,
  columns: {},
  widths: {},
};

let present = load();
const listeners = new Set<() => void>();

/** The preferences; the component is drawn again when one changes. */
export function usePreferences(): Preferences {
  return useSyncExternalStore(subscribe, () => present);
}

/** Changes some preferences, in every window of this browser. */
export function setPreferences(change: Partial<Preferences>): void {
  present = { ...present, ...change };
  try {
    localStorage.setItem(key, JSON.stringify(present));
  } catch {
    // Storage may be full or forbidden: then the choice lasts as long as the page.
  }
  announce();
}

/** Keeps the attributes of the document, by which the style sheets choose, in step with the preferences. */
export function applyPreferences(): void {
  const apply = () => {
    const { dataset } = document.documentElement;
    if (present.theme === 'system') delete dataset.theme;
    else dataset.theme = present.theme;
    dataset.density = present.density;
  };
  apply();
  listeners.add(apply);
  addEventListener('storage', (event) => {
    if (event.key !== key) return;
    present = load();
    announce();
  });
}

function load(): Preferences {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? '{}');
    return typeof stored === 'object' && stored !== null ? { ...initial, ...stored } : initial;
  } catch {
    return initial;
  }
}

function announce(): void {
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
