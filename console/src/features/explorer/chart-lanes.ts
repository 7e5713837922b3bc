/** Draws bands of states on a canvas: colour, pattern, and the text of the state where it fits. */
import type { ChartLane, StateStyle } from './chart-model.ts';

/** Height of a lane with its title, CSS pixels. */
export const laneHeight = 40;

/** Height of the band at the bottom of a lane, CSS pixels. */
const bandHeight = 20;

interface LanePlace {
  context: CanvasRenderingContext2D;
  left: number;
  width: number;
  top: number;
  /** Device pixels for each CSS pixel. */
  ratio: number;
  xOf(ms: number): number;
  colorOf(name: string): string;
}

/** Draws the lanes from `place.top` down. Spans outside of the canvas cost next to nothing. */
export function drawLanes(lanes: readonly ChartLane[], place: LanePlace): void {
  const { context, left, width, top, ratio } = place;
  for (const [i, lane] of lanes.entries()) {
    const y = top + (i * laneHeight + laneHeight - bandHeight - 4) * ratio;
    context.save();
    context.beginPath();
    context.rect(left, y, width, bandHeight * ratio);
    context.clip();
    context.fillStyle = place.colorOf('--sunken');
    context.fillRect(left, y, width, bandHeight * ratio);
    for (const span of lane.spans) {
      const from = Math.max(left, Math.round(place.xOf(span.fromMs)));
      const to = Math.min(left + width, Math.round(place.xOf(span.toMs)));
      if (to < left || from > left + width) continue;
      const high = span.high - span.low;
      const box = {
        x: from,
        y: y + (1 - span.high) * bandHeight * ratio,
        width: Math.max(1, to - from),
        height: high * bandHeight * ratio,
      };
      drawSpan(box, lane.styleOf(span.state), high > 0.9, place);
    }
    context.restore();
  }
}

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

function drawSpan(box: Box, style: StateStyle, isWhole: boolean, place: LanePlace): void {
  const { context, ratio } = place;
  context.fillStyle = patternOf(style, place);
  context.fillRect(box.x, box.y, box.width, box.height);
  if (!isWhole || box.width < 24 * ratio) return;
  context.fillStyle = place.colorOf('--surface');
  context.fillRect(box.x, box.y, Math.min(1 * ratio, box.width), box.height);
  context.font = `600 ${11 * ratio}px ui-sans-serif, system-ui, sans-serif`;
  context.textBaseline = 'middle';
  context.textAlign = 'left';
  const textMax = box.width - 12 * ratio;
  const textWidth = context.measureText(style.text).width;
  if (textWidth > textMax) return;
  // On a ground of its own: no pattern runs through the letters.
  const x = box.x + 6 * ratio;
  context.fillStyle = place.colorOf(style.color);
  context.fillRect(x - 3 * ratio, box.y + 3 * ratio, textWidth + 6 * ratio, box.height - 6 * ratio);
  context.fillStyle = place.colorOf('--surface');
  context.fillText(style.text, x, box.y + box.height / 2 + ratio * 0.5);
}

const tiles = new Map<string, CanvasPattern | string>();

/** The fill of a state: lines of its colour on a paler ground of the same. */
function patternOf(
  { color, pattern }: StateStyle,
  { context, ratio, colorOf }: LanePlace,
): CanvasPattern | string {
  const value = colorOf(color);
  const ground = colorOf('--surface');
  const key = `${value} ${ground} ${pattern} ${ratio}`;
  let tile = tiles.get(key);
  if (tile === undefined) {
    tile = makeTile(context, value, ground, pattern, Math.max(6, Math.round(8 * ratio)));
    tiles.set(key, tile);
  }
  return tile;
}

function makeTile(
  target: CanvasRenderingContext2D,
  color: string,
  ground: string,
  pattern: number,
  size: number,
): CanvasPattern | string {
  if (pattern === 0) return color;
  const canvas = document.createElement('canvas');
  canvas.width = size;
  canvas.height = size;
  const context = canvas.getContext('2d')!;
  context.fillStyle = color;
  context.fillRect(0, 0, size, size);
  context.strokeStyle = ground;
  context.fillStyle = ground;
  context.globalAlpha = 0.55;
  context.lineWidth = Math.max(1, size / 6);
  marks[pattern]!(context, size);
  return target.createPattern(canvas, 'repeat') ?? color;
}

/** The marks of each pattern on a tile; the first is plain. */
const marks: readonly ((context: CanvasRenderingContext2D, size: number) => void)[] = [
  () => {},
  (context, size) =>
    stroke(context, [-1, 1, 1, -1], [0, size, size, 0], [size - 1, size + 1, size + 1, size - 1]),
  (context, size) =>
    stroke(context, [-1, size - 1, 1, size + 1], [0, 0, size, size], [size - 1, -1, size + 1, 1]),
  (context, size) => {
    context.beginPath();
    context.arc(size / 2, size / 2, size / 5, 0, 2 * Math.PI);
    context.fill();
  },
  (context, size) => stroke(context, [size / 2, 0, size / 2, size]),
  (context, size) => stroke(context, [0, size / 2, size, size / 2]),
];

function stroke(context: CanvasRenderingContext2D, ...lines: number[][]): void {
  context.beginPath();
  for (const [fromX, fromY, toX, toY] of lines) {
    context.moveTo(fromX!, fromY!);
    context.lineTo(toX!, toY!);
  }
  context.stroke();
}
