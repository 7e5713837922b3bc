/** Short messages at the corner, read out politely; errors stay until they are closed. */
import { type ReactNode, useLayoutEffect, useRef } from 'react';
import { createStore, useStore } from '../platform/store.ts';
import { Button, IconButton } from './button.tsx';
import { freePlace, type Place } from './free-place.ts';
import { ErrorText, type Mood, Notice } from './notice.tsx';

interface Toast {
  id: number;
  mood: Mood;
  content: ReactNode;
  action?: { text: string; run(): void };
}

const stayMs = 5000;
/** Long enough to read the message and to reach its button or link, ms. */
const reachStayMs = 20_000;
const toastsMax = 4;
/** The interval at which it is checked whether messages cover something, ms. */
const lookMs = 250;
const toasts = createStore<readonly Toast[]>([]);
let lastId = 0;

/** Says that something was done. */
export function notify(content: ReactNode, mood: Mood = 'good'): void {
  show({ mood, content }, mood === 'bad' ? null : stayMs);
}

/** Says that something was done, with a link to it. */
export function notifyLink(content: ReactNode): void {
  show({ mood: 'good', content }, reachStayMs);
}

/** Says that something was done, with a button that takes it back. */
export function notifyUndo(content: ReactNode, undo: () => void): void {
  show({ mood: 'good', content, action: { text: 'Undo', run: undo } }, reachStayMs);
}

/** Says that something has failed. */
export function notifyError(error: unknown): void {
  notify(<ErrorText error={error} />, 'bad');
}

/** The area in which messages are shown; once a page. */
export function Toasts() {
  const shown = useStore(toasts);
  const area = useRef<HTMLElement>(null);
  const hasAny = shown.length > 0;
  // What is below them may come later, or be scrolled there.
  useLayoutEffect(() => {
    if (!hasAny) return;
    let place: Place | null = null;
    const move = () => {
      place = placeFreely(area.current!, place);
    };
    move();
    const timer = setInterval(move, lookMs);
    return () => clearInterval(timer);
  }, [hasAny]);
  return (
    <section ref={area} className="toasts" aria-label="Messages" aria-live="polite">
      {shown.map(({ id, mood, content, action }) => (
        <div key={id} className="toast">
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

/** What people press or type in. */
const controls =
  'a, button, input, textarea, select, summary, [role=option], [role=slider], [role=gridcell] label';

/** Moves the messages to where they cover nothing that can be pressed, unless the pointer or the focus is on them. */
function placeFreely(area: HTMLElement, present: Place | null): Place | null {
  if (area.matches(':hover, :focus-within')) return present;
  const all = [...document.querySelectorAll(controls)].filter((control) => !area.contains(control));
  const obstacles = all.map((control) => control.getBoundingClientRect()).filter(({ width }) => width > 0);
  const screen = { width: document.documentElement.clientWidth, height: innerHeight };
  const place = freePlace({ width: area.offsetWidth, height: area.offsetHeight }, screen, obstacles, present);
  area.style.translate = `${place.left}px ${place.top}px`;
  return place;
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
