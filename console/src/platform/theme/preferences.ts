/** What a person has chosen for this browser: kept in its storage, never sent anywhere. */
import { createStore, useStore } from '../store.ts';

/** Colours: those of the system, or one of the two. */
export type Theme = 'system' | 'light' | 'dark';

/** Every preference. */
export interface Preferences {
  theme: Theme;
  /** Of rows and controls. */
  density: 'comfortable' | 'compact';
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

const present = createStore(load());

/** The preferences; the component is drawn again when one changes. */
export function usePreferences(): Preferences {
  return useStore(present);
}

/** Changes some preferences, in every window of this browser. */
export function setPreferences(change: Partial<Preferences>): void {
  const next = { ...present.get(), ...change };
  try {
    localStorage.setItem(key, JSON.stringify(next));
  } catch {
    // Storage may be full or forbidden: then the choice lasts as long as the page.
  }
  present.set(next);
}

/** Keeps the attributes of the document, by which the style sheets choose, in step with the preferences. */
export function applyPreferences(): void {
  const apply = () => {
    const { dataset } = document.documentElement;
    const { theme, density } = present.get();
    if (theme === 'system') delete dataset.theme;
    else dataset.theme = theme;
    dataset.density = density;
  };
  apply();
  present.subscribe(apply);
  addEventListener('storage', (event) => {
    if (event.key === key) present.set(load());
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
