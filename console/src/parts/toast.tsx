/** Short messages at the corner, read out politely; errors stay until they are closed. */
import type { ReactNode } from 'react';
import { createStore, useStore } from '../platform/store.ts';
import { Button, IconButton } from './button.tsx';
import { ErrorText, type Mood, Notice } from './notice.tsx';

interface Toast {
  id: number;
  mood: Mood;
  content: ReactNode;
  action?: { text: string; run(): void };
}

const stayMs = 5000;
/** Time enough to read what was done, and to reach the button. */
const undoStayMs = 20_000;
const toastsMax = 4;
const toasts = createStore<readonly Toast[]>([]);
let lastId = 0;

/** Says that something was done. */
export function tell(content: ReactNode, mood: Mood = 'good'): void {
  show({ mood, content }, mood === 'bad' ? null : stayMs);
}

/** Says that something was done, with a button that takes it back. */
export function tellUndo(content: ReactNode, undo: () => void): void {
  show({ mood: 'good', content, action: { text: 'Undo', run: undo } }, undoStayMs);
}

/** Says that something has failed. */
export function tellError(error: unknown): void {
  tell(<ErrorText error={error} />, 'bad');
}

/** The area in which messages are shown; once a page. */
export function Toasts() {
  const shown = useStore(toasts);
  return (
    <section className="toasts" aria-label="Messages" aria-live="polite">
      {shown.map(({ id, mood, content, action }) => (
        <div key={id} className="toast notice-frame">
          <Notice
            mood={mood}
            action={
              <span className="line">
                {action && (
                  <Button
                    isTiny
                    onPress={() => {
                      close(id);
                      action.run();
                    }}
                  >
                    {action.text}
                  </Button>
                )}
                <IconButton label="Close" icon="close" isTiny onPress={() => close(id)} />
              </span>
            }
          >
            {content}
          </Notice>
        </div>
      ))}
    </section>
  );
}

function show(toast: Omit<Toast, 'id'>, forMs: number | null): void {
  lastId += 1;
  const id = lastId;
  toasts.set([...toasts.get(), { id, ...toast }].slice(-toastsMax));
  if (forMs !== null) setTimeout(() => close(id), forMs);
}

function close(id: number): void {
  toasts.set(toasts.get().filter((toast) => toast.id !== id));
}
