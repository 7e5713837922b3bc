/** Moves pins to their instants while the chart zooms and pans: a line at the instant, a card next to it. */
import type { Box } from './chart-labels.ts';
import type { Span } from './range.ts';

const cardWidth = 214;
/** Between the cursor and its tooltip. */
const tipGap = 14;
/** Between cards below each other. */
const cardGap = 4;

/** Places the children of `layer` that have `data-at`, ms; those outside of the span are hidden. */
export function placePinsAt(layer: HTMLElement, { fromMs, toMs }: Span, box: Box): void {
  const levels: number[] = [];
  const cardHeight = (layer.querySelector<HTMLElement>('.pin-card')?.offsetHeight ?? 0) + cardGap;
  const levelsMax = Math.max(1, Math.floor(box.height / cardHeight));
  for (const pin of layer.querySelectorAll<HTMLElement>('[data-at]')) {
    const share = (Number(pin.dataset.at) - fromMs) / (toMs - fromMs);
    pin.hidden = share < 0 || share > 1;
    if (pin.hidden) continue;
    const x = Math.round(box.left + share * box.width);
    const isLeft = x + cardWidth > box.left + box.width && x - cardWidth > 0;
    const start = isLeft ? x - cardWidth : x;
    pin.classList.toggle('leftwards', isLeft);
    pin.style.translate = `${x}px ${Math.round(box.top)}px`;
    pin.style.height = `${Math.round(box.height)}px`;
    pin.style.setProperty('--card-top', `${levelOf(levels, start, levelsMax) * cardHeight + cardGap}px`);
  }
}

/** Puts the tooltip, the child with `data-tip` (ms), next to the cursor: at the height of the pointer, or at the top. */
export function placeTipAt(
  layer: HTMLElement,
  { fromMs, toMs }: Span,
  box: Box,
  pointerY: number | null,
): void {
  const tip = layer.querySelector<HTMLElement>('[data-tip]');
  if (!tip) return;
  const x = box.left + ((Number(tip.dataset.tip) - fromMs) / (toMs - fromMs)) * box.width;
  const { offsetWidth: width, offsetHeight: height } = tip;
  const left = x + tipGap + width > box.left + box.width ? x - tipGap - width : x + tipGap;
  const middle = (pointerY ?? box.top) - height / 2;
  const top = Math.max(4, Math.min(layer.clientHeight - height - 4, middle));
  tip.style.translate = `${Math.round(Math.max(0, left))}px ${Math.round(top)}px`;
}

/** The first level on which a card of this start covers none before it; else the last one. */
function levelOf(levels: number[], start: number, levelsMax: number): number {
  const free = levels.findIndex((end) => end <= start);
  const level = free >= 0 ? free : Math.min(levels.length, levelsMax - 1);
  levels[level] = Math.max(levels[level] ?? 0, start + cardWidth);
  return level;
}
