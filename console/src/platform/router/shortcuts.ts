/** Keyboard shortcuts: single keys and sequences (`g i`), with modifiers (`Mod+k`), announced so that the sheet lists them. */
import { useEffect, useEffectEvent } from 'react';
import { createStore, useStore } from '../store.ts';
import { nowMs } from '../time/clock.ts';

/** A shortcut that is active now. */
export interface Shortcut {
  /** Keys with blanks between: `g i`, `?`, `Mod+k`, `t ArrowLeft`. `Mod` is Ctrl, and ⌘ on a Mac. */
  keys: string;
  /** What it does, for the sheet. */
  text: string;
  /** The heading under which the sheet lists it. */
  group: string;
}

interface Active extends Shortcut {
  run(event: KeyboardEvent): void;
}

const sequenceMs = 1200;
const storageKey = 'tidemark.single-keys';

const active = createStore<readonly Active[]>([]);
const areSingleKeysOn = createStore(readSetting());
let typed: { keys: string; atMs: number } = { keys: '', atMs: 0 };

/** Makes a shortcut work while the component is there. The newest of two with the same keys wins. */
export function useShortcut(
  keys: string,
  text: string,
  group: string,
  run: (event: KeyboardEvent) => void,
  isEnabled = true,
): void {
  const runLatest = useEffectEvent(run);
  useEffect(() => {
    if (!isEnabled) return;
    const entry: Active = { keys, text, group, run: (event) => runLatest(event) };
    active.set([...active.get(), entry]);
    return () => active.set(active.get().filter((each) => each !== entry));
  }, [keys, text, group, isEnabled]);
}

/** The shortcuts that work at present. */
export function useActiveShortcuts(): readonly Shortcut[] {
  return useStore(active);
}

/** Whether shortcuts of a single key work; those with Ctrl or ⌘ always do. */
export function useSingleKeys(): [boolean, (isOn: boolean) => void] {
  return [useStore(areSingleKeysOn), setSingleKeys];
}

/** Listens to the keyboard; the function that ends it. */
export function listenToKeys(): () => void {
  addEventListener('keydown', onKey);
  return () => removeEventListener('keydown', onKey);
}

function onKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return;
  const hasModifier = event.ctrlKey || event.metaKey || event.altKey;
  if (!hasModifier && (!areSingleKeysOn.get() || isTaken(event))) return;
  const key = nameOf(event);
  if (key === null) return;
  const isFresh = nowMs() - typed.atMs < sequenceMs;
  const sequence = isFresh && typed.keys !== '' && !hasModifier ? `${typed.keys} ${key}` : key;
  const found = find(sequence) ?? find(key);
  typed = { keys: found ? '' : key, atMs: nowMs() };
  if (!found) return;
  event.preventDefault();
  found.run(event);
}

function find(keys: string): Active | undefined {
  return active.get().findLast((each) => each.keys === keys);
}

/** The key with its modifiers; null for a modifier alone. Shift counts only where it makes no other character. */
function nameOf(event: KeyboardEvent): string | null {
  const { key } = event;
  if (['Control', 'Meta', 'Alt', 'Shift', 'Dead'].includes(key)) return null;
  const mod = event.ctrlKey || event.metaKey ? 'Mod+' : '';
  const alt = event.altKey ? 'Alt+' : '';
  const shift = event.shiftKey && key.length > 1 ? 'Shift+' : '';
  return `${mod}${alt}${shift}${mod && key.length === 1 ? key.toLowerCase() : key}`;
}

/** Whether the key belongs to what has the focus: a field, a list, a dialog, a chart. */
function isTaken(event: KeyboardEvent): boolean {
  if (document.querySelector('[role=dialog], [role=alertdialog], [role=menu], [role=listbox]')) return true;
  const target = event.target instanceof Element ? event.target : null;
  return target?.closest('input, textarea, select, [contenteditable=true], [data-own-keys]') != null;
}

function setSingleKeys(isOn: boolean): void {
  areSingleKeysOn.set(isOn);
  try {
    localStorage.setItem(storageKey, isOn ? 'on' : 'off');
  } catch {
    // Then it lasts as long as the page.
  }
}

function readSetting(): boolean {
  try {
    return localStorage.getItem(storageKey) !== 'off';
  } catch {
    return true;
  }
}
