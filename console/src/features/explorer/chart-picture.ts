/** A chart as a picture to be saved: what is on its canvas, its labels, a title and a legend. */
import type { AxisLabel } from './chart-labels.ts';

interface PictureParts {
  chart: HTMLCanvasElement;
  width: number;
  height: number;
  labels: readonly AxisLabel[];
  title: string;
  legend: readonly { name: string; color: string }[];
  colorOf(name: string): string;
}

const headHeight = 34;
const legendLineHeight = 20;
const margin = 12;
const font = 'ui-sans-serif, system-ui, sans-serif';

/** Paints a PNG with the resolution of the screen. */
export function paintPicture(parts: PictureParts): Promise<Blob> {
  const canvas = document.createElement('canvas');
  const context = canvas.getContext('2d')!;
  const ratio = devicePixelRatio;
  context.font = `12px ${font}`;
  const places = legendPlaces(context, parts);
  const legendHeight = places.length === 0 ? 0 : places.at(-1)!.y + legendLineHeight + margin;
  canvas.width = Math.round(parts.width * ratio);
  canvas.height = Math.round((headHeight + parts.height + legendHeight) * ratio);
  context.scale(ratio, ratio);
  context.fillStyle = parts.colorOf('--surface');
  context.fillRect(0, 0, canvas.width, canvas.height);
  paintTitle(context, parts);
  context.drawImage(parts.chart, 0, headHeight, parts.width, parts.height);
  for (const label of parts.labels) paintLabel(context, label, parts);
  context.textAlign = 'left';
  context.textBaseline = 'middle';
  for (const place of places) paintEntry(context, place, parts);
  return new Promise((resolve, reject) =>
    canvas.toBlob(
      (blob) => (blob ? resolve(blob) : reject(new Error('the picture is too large'))),
      'image/png',
    ),
  );
}

function paintTitle(context: CanvasRenderingContext2D, { title, width, colorOf }: PictureParts): void {
  context.fillStyle = colorOf('--text');
  context.font = `600 14px ${font}`;
  context.textBaseline = 'middle';
  context.fillText(title, margin, headHeight / 2, width - 2 * margin);
}

function paintLabel(
  context: CanvasRenderingContext2D,
  { x, y, text, kind, color, dots = [] }: AxisLabel,
  { colorOf }: PictureParts,
): void {
  const isPlain = kind === 'time' || kind === 'left' || kind === 'right';
  context.font = `${isPlain ? '' : '600 '}12px ${font}`;
  context.fillStyle = colorOf(color ?? (isPlain ? '--quiet' : '--text'));
  context.textAlign = alignments[kind];
  context.textBaseline = kind === 'left' || kind === 'right' ? 'middle' : 'top';
  context.fillText(text, x + (kind === 'panel-title' ? dots.length * 10 : 0), y + headHeight);
  if (kind !== 'panel-title') return;
  for (const [i, dot] of dots.entries()) {
    context.fillStyle = colorOf(dot);
    context.fillRect(x + i * 10, y + headHeight + 3, 7, 7);
  }
}

const alignments: Readonly<Record<AxisLabel['kind'], CanvasTextAlign>> = {
  time: 'center',
  context: 'center',
  left: 'right',
  right: 'left',
  'unit-left': 'right',
  'unit-right': 'left',
  'panel-title': 'left',
  lane: 'left',
};

interface LegendPlace {
  name: string;
  color: string;
  x: number;
  y: number;
}

/** Entries from left to right, on as many lines as they need. */
function legendPlaces(context: CanvasRenderingContext2D, { legend, width }: PictureParts): LegendPlace[] {
  let [x, y] = [margin, 0];
  return legend.map((entry) => {
    const entryWidth = context.measureText(entry.name).width + 36;
    if (x > margin && x + entryWidth > width - margin) [x, y] = [margin, y + legendLineHeight];
    const place = { ...entry, x, y };
    x += entryWidth;
    return place;
  });
}

function paintEntry(
  context: CanvasRenderingContext2D,
  { name, color, x, y }: LegendPlace,
  { height, colorOf }: PictureParts,
): void {
  const middle = headHeight + height + y + legendLineHeight / 2;
  context.fillStyle = color;
  context.fillRect(x, middle - 1.5, 14, 3);
  context.font = `12px ${font}`;
  context.fillStyle = colorOf('--text');
  context.fillText(name, x + 20, middle);
}
