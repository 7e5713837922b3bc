/** Zooming and panning with wheel, mouse and fingers. Selecting with the mouse is the chart's own. */
import { type Span, shiftSpan, stretchSpan } from './range.ts';

interface GestureTarget {
  surface: HTMLElement;
  span(): Span;
  /** Shows a span at once; comes once a frame at most. */
  show(span: Span): void;
  onBegin(): void;
  /** The gesture has ended with this span. */
  onEnd(span: Span): void;
}

/** The gesture ends this long after the last turn of the wheel. */
const wheelPauseMs = 220;

/**
 * Listens: Ctrl or ⌘ with the wheel zooms around the pointer, also without the key once the chart has the focus; the wheel
 * sideways pans; Shift or the middle button drag; one finger pans, two zoom. Ends with the surface.
 */
export function listenToGestures(target: GestureTarget): void {
  const painter = new Painter(target);
  listenToWheel(target, painter);
  listenToDrag(target, painter);
}

/** Shows no more than one span a frame. */
class Painter {
  readonly #target: GestureTarget;
  #next: Span | null = null;
  #isActive = false;

  constructor(target: GestureTarget) {
    this.#target = target;
  }

  /** What is shown, or will be at the next frame. */
  get span(): Span {
    return this.#next ?? this.#target.span();
  }

  show(span: Span): void {
    if (!this.#isActive) {
      this.#isActive = true;
      this.#target.onBegin();
    }
    if (this.#next === null) requestAnimationFrame(() => this.#paint());
    this.#next = span;
  }

  end(): void {
    if (!this.#isActive) return;
    this.#paint();
    this.#isActive = false;
    const { fromMs, toMs } = this.#target.span();
    this.#target.onEnd({
      fromMs: Math.round(fromMs),
      toMs: Math.max(Math.round(fromMs) + 1, Math.round(toMs)),
    });
  }

  #paint(): void {
    if (this.#next && this.#target.surface.isConnected) this.#target.show(this.#next);
    this.#next = null;
  }
}

function listenToWheel({ surface }: GestureTarget, painter: Painter): void {
  let pause = 0;
  const onWheel = (event: WheelEvent) => {
    const isSideways = Math.abs(event.deltaX) > Math.abs(event.deltaY);
    const hasFocus = surface.closest('[data-chart]')?.contains(document.activeElement) ?? false;
    if (!event.ctrlKey && !event.metaKey && !isSideways && !hasFocus) return;
    event.preventDefault();
    const { left, width } = surface.getBoundingClientRect();
    if (isSideways) painter.show(shiftSpan(painter.span, event.deltaX / width));
    else {
      const around = Math.min(1, Math.max(0, (event.clientX - left) / width));
      painter.show(stretchSpan(painter.span, 1.0015 ** clamp(event.deltaY, 200), around));
    }
    clearTimeout(pause);
    pause = window.setTimeout(() => painter.end(), wheelPauseMs);
  };
  surface.addEventListener('wheel', onWheel, { passive: false });
}

function listenToDrag({ surface }: GestureTarget, painter: Painter): void {
  const fingers = new Map<number, number>();
  const place = (event: PointerEvent) => {
    const { left, width } = surface.getBoundingClientRect();
    return (event.clientX - left) / width;
  };
  surface.addEventListener('pointerdown', (event) => {
    const isMouse = event.pointerType === 'mouse';
    if (isMouse && !(event.button === 1 || (event.button === 0 && event.shiftKey))) return;
    if (isMouse) event.preventDefault();
    surface.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, place(event));
  });
  surface.addEventListener('pointermove', (event) => {
    const before = fingers.get(event.pointerId);
    if (before === undefined) return;
    const at = place(event);
    const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1];
    if (other === undefined) painter.show(shiftSpan(painter.span, before - at));
    else if (Math.abs(at - other) > 0.02) {
      painter.show(stretchSpan(painter.span, Math.abs(before - other) / Math.abs(at - other), other));
    }
    fingers.set(event.pointerId, at);
  });
  const onEnd = (event: PointerEvent) => {
    if (fingers.delete(event.pointerId) && fingers.size === 0) painter.end();
  };
  surface.addEventListener('pointerup', onEnd);
  surface.addEventListener('pointercancel', onEnd);
}

function clamp(value: number, most: number): number {
  return Math.max(-most, Math.min(most, value));
}
