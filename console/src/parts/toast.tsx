/** Short messages at the corner, read out politely; errors stay until they are closed. */
import { type ReactNode, useSyncExternalStore } from 'react';
import { IconButton } from './button.tsx';
import { ErrorText, type Mood, Notice } from './notice.tsx';

interface Toast {
  id: number;
  mood: Mood;
  content: ReactNode;
}

const stayMs = 5000;
const toastsMax = 4;
let toasts: readonly Toast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

/** Says that something was done. */
export function tell(content: ReactNode, mood: Mood = 'good'): void {
  lastId += 1;
  const id = lastId;
  replace([...toasts, { id, mood, content }].slice(-toastsMax));
  if (mood !== 'bad') setTimeout(() => close(id), stayMs);
}

/** Says that something has failed. */
export function tellError(error: unknown): void {
  tell(<ErrorText error={error} />, 'bad');
}

/** The corner where messages stand; once a page. */
export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts);
  return (
    <section className="toasts" aria-label="Messages" aria-live="polite">
      {shown.map(({ id, mood, content }) => (
        <div key={id} className="toast notice-frame">
          <Notice
            mood={mood}
            action={<IconButton label="Close" icon="close" isTiny onPress={() => close(id)} />}
          >
            {content}
          </Notice>
        </div>
      ))}
    </section>
  );
}

function close(id: number): void {
  replace(toasts.filter((toast) => toast.id !== id));
}

function replace(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
