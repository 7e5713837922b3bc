/** What the chart draws is true: pixels of the canvas compared with known values, in a real browser; fingers and wheel on it. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { suite, test } from 'node:test';
import { browser, page } from './support/console.ts';
import { firstMs, fourDays, hours, mode, modeAt, openWithKnown, ramp, square } from './support/known.ts';
import { chart, choose, go, place, plotBox, spanOf } from './support/places.ts';
import { storeItem } from './support/stored.ts';
import { hour as hourMs } from './support/times.ts';

/** The ramp without hours 21 to 59, with a gap detection of two hours, and without any. */
let broken: string;
let joined: string;

openWithKnown(async () => {
  const kept = hours.filter((hour) => hour <= 20 || hour >= 60);
  const timesS = kept.map((hour) => (firstMs + hour * hourMs) / 1000);
  broken = await storeItem({ name: 'Broken', sampleInterval: 'PT1H', gapDetection: 'PT2H' }, timesS, kept);
  joined = await storeItem({ name: 'Joined', sampleInterval: 'PT1H' }, timesS, kept);
});

/** Pixels of a colour in some columns of the plotting area. */
interface Seen {
  /** Shares of the height from the top, ascending, for each column. */
  columns: number[][];
  width: number;
  height: number;
}

/** A custom property as the page has it now, mixed with the ground: 1 is the colour alone. */
interface Paint {
  property: string;
  share?: number;
}

/** Finds a colour in the columns at these shares of the width of the plotting area. */
function look({ property, share = 1 }: Paint, shares: readonly number[]): Promise<Seen> {
  return page.evaluate(
    ([name, part, places]) => {
      const canvas = document.querySelector<HTMLCanvasElement>('.chart-canvas canvas')!;
      const [own, area] = [canvas, document.querySelector('.u-over')!].map((each) =>
        each.getBoundingClientRect(),
      );
      const ratio = canvas.width / own!.width;
      const [width, height] = [Math.round(area!.width * ratio), Math.round(area!.height * ratio)];
      const left = Math.round((area!.left - own!.left) * ratio);
      const top = Math.round((area!.top - own!.top) * ratio);
      const { data } = canvas.getContext('2d')!.getImageData(left, top, width, height);
      const probe = document.createElement('canvas').getContext('2d')!;
      const colorOf = (property: string) => {
        probe.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(property);
        probe.fillRect(0, 0, 1, 1);
        return [...probe.getImageData(0, 0, 1, 1).data.slice(0, 3)];
      };
      const ground = colorOf('--surface');
      const away = colorOf(name).map((each, i) => (each - ground[i]!) * part);
      const length = Math.hypot(...away);
      // Edges are mixed with the ground: what is at least two thirds of the colour counts.
      const isWanted = (at: number) => {
        const alpha = data[at + 3]! / 255;
        const found = ground.map((each, i) => (data[at + i]! - each) * alpha);
        const share = found.reduce((sum, each, i) => sum + each * away[i]!, 0) / length ** 2;
        const beside = Math.hypot(...found.map((each, i) => each - share * away[i]!));
        return share > 0.66 && share < 1.2 && beside < 4 + length * 0.1;
      };
      const columns = places.map((at) => {
        const x = Math.min(width - 1, Math.max(0, Math.round(at * width)));
        const near = [x - 1, x, x + 1].filter((each) => each >= 0 && each < width);
        const ys = Array.from({ length: height }, (_, y) => y).filter((y) =>
          near.some((each) => isWanted((y * width + each) * 4)),
        );
        return ys.map((y) => (y + 0.5) / height);
      });
      return { columns, width, height };
    },
    [property, share, shares] as const,
  );
}

/** The middle of the pixels of each column; null: none. */
const middles = ({ columns }: Seen) =>
  columns.map((ys) => (ys.length === 0 ? null : ys.reduce((sum, y) => sum + y, 0) / ys.length));

/** Where a value is on an axis with the usual margin of six hundredths, a share of the height from the top. */
function heightOf(value: number, low: number, high: number): number {
  const margin = (high - low) * 0.06;
  return (high + margin - value) / (high - low + 2 * margin);
}

/** The longest run of pixels without a hole of more than a few: marks of an axis are alone, an area is not. */
function longestRun(ys: readonly number[], height: number): number[] {
  const runs: number[][] = [];
  for (const y of ys) {
    const last = runs.at(-1);
    if (last && y - last.at(-1)! < 7 / height) last.push(y);
    else runs.push([y]);
  }
  return runs.sort((a, b) => b.length - a.length)[0] ?? [];
}

/** Every tenth of the width, without the ends. */
const tenths = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];

function assertHeights(
  found: readonly (number | null)[],
  expected: readonly number[],
  room: number,
  words = '',
): void {
  for (const [i, share] of expected.entries())
    assert.ok(Math.abs((found[i] ?? 9) - share) <= room, `${words} ${i}: ${found[i]} in place of ${share}`);
}

async function drawn(search: string): Promise<void> {
  await go(`/explorer?${search}`);
  await page.locator('.chart[aria-busy=false] canvas').waitFor();
  await page
    .locator('.chart-label.left:visible')
    .or(page.locator('.chart-label.lane:visible'))
    .first()
    .waitFor();
}

suite('what is drawn', { concurrency: false }, () => {
  test('a line is at each time as high as its value', async () => {
    await drawn(`items=${ramp}&${fourDays}`);
    const seen = await look({ property: '--series-1' }, [...tenths, 0.995]);
    const expected = tenths.map((share) => heightOf(96 * share, 0, 95));
    assertHeights(middles(seen), expected, 3 / seen.height);
    assert.deepEqual(seen.columns.at(-1), [], 'nothing after the last point');
  });

  test('two units have two axes over the whole height, and a colour each', async () => {
    await drawn(`items=${ramp}.${square}&${fourDays}`);
    const at = [0.5, 0.6, 0.7, 0.8, 0.9];
    const room = 4 / (await look({ property: '--series-1' }, [])).height;
    const first = middles(await look({ property: '--series-1' }, at));
    assertHeights(
      first,
      at.map((share) => heightOf(96 * share, 0, 95)),
      room,
      'ramp',
    );
    const second = middles(await look({ property: '--series-2' }, at));
    assertHeights(
      second,
      at.map((share) => heightOf((96 * share) ** 2, 0, 95 ** 2)),
      room,
      'square',
    );
  });

  test('in panels each line stays in its own half, also where an end that was set cuts it off', async () => {
    await drawn(`items=${ramp}.${square}&${fourDays}&axes=panels&y=${ramp}~0~40`);
    const every = Array.from({ length: 90 }, (_, i) => 0.05 + i / 100);
    const first = (await look({ property: '--series-1' }, every)).columns;
    assert.ok(
      first.flat().every((share) => share < 0.5),
      'the upper half',
    );
    assert.ok(first[20]!.length > 0 && first[70]!.length === 0, 'above 40 there is nothing');
    const second = (await look({ property: '--series-2' }, every)).columns;
    assert.ok(
      second.flat().every((share) => share > 0.5),
      'the lower half',
    );
    assert.ok(
      second.every((ys) => ys.length > 0),
      `${second.findIndex((ys) => ys.length === 0)}`,
    );
  });

  test('steps keep a value until the next, lines lead there', async () => {
    const sixHours = 'from=2026-01-01T10:00:00Z&to=2026-01-01T16:00:00Z&zone=UTC';
    const between = [0.4, 1.4, 2.4, 3.4, 4.4].map((hour) => hour / 6);
    // The point at the very end is drawn too.
    await drawn(`items=${ramp}&${sixHours}&line=step`);
    const steps = await look({ property: '--series-1' }, between);
    const room = 4 / steps.height;
    assertHeights(
      middles(steps),
      [10, 11, 12, 13, 14].map((value) => heightOf(value, 10, 16)),
      room,
      'steps',
    );
    await drawn(`items=${ramp}&${sixHours}&line=line`);
    const lines = await look({ property: '--series-1' }, between);
    assertHeights(
      middles(lines),
      [10.4, 11.4, 12.4, 13.4, 14.4].map((value) => heightOf(value, 10, 16)),
      room,
      'lines',
    );
  });

  test('sums of days are bars from zero to their value, with room between them', async () => {
    await drawn(`items=${ramp}&${fourDays}&rollup=P1D&show=sum`);
    const bars = await look({ property: '--series-1', share: 0.7 }, [0.125, 0.375, 0.625, 0.875]);
    // Bars begin at zero, without a margin there.
    const heightOfBar = (value: number) => 1 - value / (2004 * 1.06);
    for (const [i, value] of [276, 852, 1428, 2004].entries()) {
      const ys = bars.columns[i]!;
      assert.ok(Math.abs(ys[0]! - heightOfBar(value)) < 4 / bars.height, `day ${i} to ${ys[0]}`);
      assert.ok(
        ys.at(-1)! > 0.98 && ys.length > (1 - heightOfBar(value)) * bars.height * 0.95,
        'filled to the bottom',
      );
    }
    const between = await look({ property: '--series-1', share: 0.7 }, [0.25, 0.5, 0.75]);
    assert.deepEqual(between.columns, [[], [], []]);
  });

  test('behind an average is the area from the minimum to the maximum of its bucket, unless it is switched off', async () => {
    // Between the marks of the days, whose lines have no colour of their own.
    const between = [0.3, 0.55];
    const area = async () => look({ property: '--series-1', share: 0.18 }, between);
    await drawn(`items=${ramp}&${fourDays}&rollup=P1D`);
    const { columns, height } = await area();
    for (const [i, share] of between.entries()) {
      const ys = longestRun(columns[i]!, height);
      // Minima and maxima are at the starts of the days, and joined.
      const [top, bottom] = [heightOf(96 * share + 23, 0, 95), heightOf(96 * share, 0, 95)];
      assert.ok(
        Math.abs(ys[0]! - top) < 0.02 && Math.abs(ys.at(-1)! - bottom) < 0.02,
        `${ys[0]} to ${ys.at(-1)}`,
      );
      assert.ok(ys.length > (bottom - top) * height * 0.7);
    }
    await drawn(`items=${ramp}&${fourDays}&rollup=P1D&band=0`);
    const without = await area();
    for (const ys of without.columns) assert.ok(longestRun(ys, height).length < 12);
  });

  test('a silence longer than the gap detection breaks the line, and without one it is bridged', async () => {
    await drawn(`items=${broken}&${fourDays}`);
    const at = [10, 30, 40, 50, 80].map((hour) => hour / 96);
    const isDrawn = async () =>
      (await look({ property: '--series-1' }, at)).columns.map((ys) => ys.length > 0);
    assert.deepEqual(await isDrawn(), [true, false, false, false, true]);
    await drawn(`items=${joined}&${fourDays}`);
    assert.deepEqual(await isDrawn(), [true, true, true, true, true]);
  });

  test('what it is compared with is a paler, dashed line at its own values', async () => {
    await drawn(`items=${ramp}&from=2026-01-02T00:00:00Z&to=2026-01-03T00:00:00Z&zone=UTC&vs=day`);
    const every = Array.from({ length: 200 }, (_, i) => 0.02 + (i / 200) * 0.9);
    const countAt = async (paint: Paint, valueAt: (share: number) => number) => {
      const { columns, height } = await look(paint, every);
      // The axis has both days, and the midnight at the end.
      const isAt = (y: number, share: number) => Math.abs(y - heightOf(valueAt(share), 0, 48)) < 5 / height;
      return columns.filter((ys, i) => ys.some((y) => isAt(y, every[i]!))).length;
    };
    const dashes = await countAt({ property: '--series-1', share: 0.75 }, (share) => 24 * share);
    assert.ok(dashes > 80 && dashes < 190, `${dashes} of 200 columns`);
    assert.equal(await countAt({ property: '--series-1' }, (share) => 24 + 24 * share), 200);
    assert.ok((await countAt({ property: '--series-1', share: 0.75 }, (share) => 10 + 24 * share)) < 20);
  });

  test('a band has at each time the colour of the state that held', async () => {
    await drawn(`items=${mode}&${fourDays}&rollup=raw`);
    const colors = await page.evaluate(() => {
      const canvas = document.querySelector<HTMLCanvasElement>('.chart-canvas canvas')!;
      const [own, area] = [canvas, document.querySelector('.u-over')!].map((each) =>
        each.getBoundingClientRect(),
      );
      const probe = document.createElement('canvas').getContext('2d')!;
      const known = ['--quiet', '--good', '--bad'].map((name) => {
        probe.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(name);
        probe.fillRect(0, 0, 1, 1);
        return [...probe.getImageData(0, 0, 1, 1).data];
      });
      const ratio = canvas.width / own!.width;
      const hour = (area!.width * ratio) / 96;
      return Array.from({ length: 96 }, (_, i) => {
        const left = Math.round((area!.left - own!.left) * ratio + (i + 0.25) * hour);
        // The band is in the lower half of its lane.
        const { data } = canvas
          .getContext('2d')!
          .getImageData(left, 24 * ratio, Math.max(1, hour / 2), 12 * ratio);
        const counts = known.map((color) => {
          let count = 0;
          for (let at = 0; at < data.length; at += 4)
            if ([0, 1, 2].every((part) => Math.abs(data[at + part]! - color[part]!) < 12)) count++;
          return count;
        });
        return counts.indexOf(Math.max(...counts));
      });
    });
    assert.deepEqual(colors, hours.map(modeAt));
  });

  test('another theme draws it anew in its own colours', async () => {
    await page.emulateMedia({ colorScheme: 'dark' });
    try {
      await drawn(`items=${ramp}&${fourDays}`);
      const dark = await look({ property: '--series-1' }, tenths);
      assertHeights(
        middles(dark),
        tenths.map((share) => heightOf(96 * share, 0, 95)),
        3 / dark.height,
      );
      await page.emulateMedia({ colorScheme: 'light' });
      let light = await look({ property: '--series-1' }, tenths);
      for (let i = 0; i < 100 && light.columns.some((ys) => ys.length === 0); i++)
        light = await look({ property: '--series-1' }, tenths);
      assertHeights(
        middles(light),
        tenths.map((share) => heightOf(96 * share, 0, 95)),
        3 / light.height,
      );
    } finally {
      await page.emulateMedia({ colorScheme: null });
    }
  });

  test('a picture has the line, its axis and its name, on the ground of the page', async () => {
    await drawn(`items=${ramp}&${fourDays}`);
    const size = (await chart().boundingBox())!;
    const download = page.waitForEvent('download');
    await choose('Download', 'Picture (PNG)');
    const file = await download;
    assert.equal(file.suggestedFilename(), 'ramp-2026-01-01.png');
    const png = (await readFile(await file.path())).toString('base64');
    const { width, height, counts } = await page.evaluate(async (base64) => {
      const bytes = Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0));
      const picture = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
      const context = new OffscreenCanvas(picture.width, picture.height).getContext('2d')!;
      const style = getComputedStyle(document.documentElement);
      const known = ['--surface', '--series-1'].map((name) => {
        context.fillStyle = style.getPropertyValue(name);
        context.fillRect(0, 0, 1, 1);
        return [...context.getImageData(0, 0, 1, 1).data];
      });
      context.drawImage(picture, 0, 0);
      const { data } = context.getImageData(0, 0, picture.width, picture.height);
      const count = (color: number[], fromY: number, toY: number) => {
        let found = 0;
        for (let at = fromY * picture.width * 4; at < toY * picture.width * 4; at += 4)
          if (color.every((part, i) => Math.abs(data[at + i]! - part) < 8)) found++;
        return found;
      };
      const { width, height } = picture;
      return {
        ...{ width, height },
        counts: {
          ground: count(known[0]!, 0, height) / (width * height),
          line: count(known[1]!, 34, height - 40),
          legend: count(known[1]!, height - 36, height),
        },
      };
    }, png);
    assert.equal(width, Math.round(size.width));
    assert.ok(height > size.height + 34, 'a title above it, and a legend below');
    assert.ok(counts.ground > 0.8 && counts.ground < 1, `${counts.ground} is ground`);
    assert.ok(counts.line > width / 2, 'the line from left to right');
    assert.ok(counts.legend >= 14, 'its colour next to its name');
  });
});

suite('hands on the chart', { concurrency: false }, () => {
  const oneDay = 'from=2026-01-02T00:00:00Z&to=2026-01-03T00:00:00Z&zone=UTC';
  const span = () => ({ from: Date.parse(place().get('from')!), to: Date.parse(place().get('to')!) });

  /** Puts fingers down, moves them and lifts them; each goes from one share of the width to another. */
  async function touch(moves: readonly (readonly [from: number, to: number])[]): Promise<void> {
    const before = page.url();
    await page.locator('.u-over').evaluate(async (surface, fingers) => {
      const { left, top, width, height } = surface.getBoundingClientRect();
      const send = (type: string, pointerId: number, share: number) =>
        surface.dispatchEvent(
          new PointerEvent(type, {
            ...{ pointerId, pointerType: 'touch', bubbles: true, cancelable: true },
            ...{ clientX: left + share * width, clientY: top + height / 2 },
          }),
        );
      // What did not come from a hand cannot be captured.
      surface.setPointerCapture = () => {};
      for (const [id, [from]] of fingers.entries()) send('pointerdown', id + 1, from);
      for (let step = 1; step <= 4; step++) {
        for (const [id, [from, to]] of fingers.entries())
          send('pointermove', id + 1, from + ((to - from) * step) / 4);
        await new Promise(requestAnimationFrame);
      }
      for (const [id, [, to]] of fingers.entries()) send('pointerup', id + 1, to);
    }, moves);
    await page.waitForFunction((url) => location.href !== url, before);
  }

  test('one finger pans by as much as it moves', async () => {
    await drawn(`items=${ramp}&${oneDay}`);
    await touch([[0.7, 0.2]]);
    const { from, to } = span();
    assert.equal(to - from, 24 * hourMs);
    assert.ok(Math.abs(from - Date.parse('2026-01-02T12:00:00Z')) < hourMs / 4, new Date(from).toISOString());
  });

  test('two fingers apart zoom in, what is under them stays there', async () => {
    await drawn(`items=${ramp}&${oneDay}`);
    await touch([
      [0.5, 0.25],
      [0.75, 1],
    ]);
    const { from, to } = span();
    // A quarter of a day is now three quarters of the window.
    assert.ok(Math.abs(to - from - 8 * hourMs) < hourMs / 2, `${(to - from) / hourMs} h`);
    assert.ok(Math.abs(to - Date.parse('2026-01-02T18:00:00Z')) < hourMs / 2, new Date(to).toISOString());
  });

  test('the wheel scrolls the page until the chart has the focus; sideways it pans', async () => {
    await drawn(`items=${ramp}&${oneDay}`);
    const box = await plotBox();
    const before = place().toString();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.wheel(0, -200);
    await page.waitForTimeout(300);
    assert.equal(place().toString(), before);
    await page.mouse.wheel(box.width / 4, 0);
    await page.waitForFunction(() => location.hash.includes('from=2026-01-02T06'));
    await chart().focus();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.wheel(0, -200);
    await page.waitForFunction((length) => {
      const search = new URLSearchParams(location.hash.split('?')[1]);
      return Date.parse(search.get('to')!) - Date.parse(search.get('from')!) < length;
    }, 24 * hourMs);
    const { from, to } = span();
    assert.ok(Math.abs(spanOf(place()) / (24 * hourMs) - 1.0015 ** -200) < 0.02);
    assert.ok(
      Math.abs((from + to) / 2 - Date.parse('2026-01-02T18:00:00Z')) < hourMs / 4,
      'around the pointer',
    );
  });

  test('the middle button drags, the right one does nothing', async () => {
    await drawn(`items=${ramp}&${oneDay}`);
    const box = await plotBox();
    const before = place().toString();
    const drag = async (button: 'middle' | 'right') => {
      await page.mouse.move(box.x + box.width * 0.25, box.y + box.height / 2);
      await page.mouse.down({ button });
      await page.mouse.move(box.x + box.width * 0.5, box.y + box.height / 2, { steps: 4 });
      await page.mouse.up({ button });
    };
    await drag('right');
    await page.waitForTimeout(100);
    assert.equal(place().toString(), before);
    await drag('middle');
    await page.waitForFunction(() => location.hash.includes('from=2026-01-01T18'));
    assert.equal(spanOf(place()), 24 * hourMs);
  });
});

test('no page complained, and nothing was sent elsewhere', () => {
  assert.deepEqual(browser.complaints, []);
});
