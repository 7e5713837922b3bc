/** The colours of both themes: text has a contrast of 4.5 with every background on which it is used, marks and edges of 3. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { suite, test } from 'node:test';

const css = readFileSync(new URL('../src/platform/theme/tokens.css', import.meta.url), 'utf8');

const themes = {
  light: colorsOf(css.slice(css.indexOf(':root {'))),
  dark: colorsOf(css.slice(css.indexOf(':root[data-theme="dark"] {'))),
} as const;

const grounds = ['ground', 'surface', 'raised', 'sunken', 'hover', 'selected'];

/** Text → the backgrounds on which it is used. */
const texts: Readonly<Record<string, readonly string[]>> = {
  text: [...grounds, 'pressed', 'good-ground', 'warn-ground', 'bad-ground', 'info-ground', 'plum-ground'],
  quiet: [...grounds, 'warn-ground', 'bad-ground', 'info-ground', 'good-ground'],
  'accent-text': grounds,
  'on-accent': ['accent', 'accent-hover'],
  bad: ['surface', 'raised', 'ground', 'hover', 'bad-ground'],
  good: ['surface', 'good-ground'],
  warn: ['surface', 'warn-ground'],
  info: ['surface', 'info-ground'],
  plum: ['surface', 'plum-ground'],
  surface: ['bad', 'bad-hover', 'good'],
};

const marks: Readonly<Record<string, readonly string[]>> = {
  'line-strong': ['surface', 'raised', 'ground'],
  focus: grounds,
  accent: ['surface', 'ground'],
  ...Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`series-${i + 1}`, ['surface']])),
};

for (const [theme, colors] of Object.entries(themes)) {
  suite(`the ${theme} theme`, () => {
    for (const [table, least] of [
      [texts, 4.5],
      [marks, 3],
    ] as const) {
      for (const [front, backs] of Object.entries(table)) {
        test(`${front}: at least ${least}`, () => {
          for (const back of backs) {
            const ratio = contrast(colors.get(front), colors.get(back));
            assert.ok(ratio >= least, `${front} on ${back} has ${ratio.toFixed(2)}`);
          }
        });
      }
    }
  });
}

test('both ways to the dark theme have the same colours', () => {
  const system = colorsOf(css.slice(css.indexOf(':root:not([data-theme="light"]) {')));
  assert.deepEqual(system, themes.dark);
});

/** The custom properties of the first block that are colours. */
function colorsOf(text: string): Map<string, string> {
  const block = text.slice(0, text.indexOf('}'));
  return new Map(
    [...block.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name, value]) => [name!, value!]),
  );
}

/** WCAG 2: the ratio of the relative luminances. */
function contrast(front: string | undefined, back: string | undefined): number {
  assert.ok(front !== undefined && back !== undefined, 'a colour has another name');
  const [a, b] = [luminance(front), luminance(back)].sort((x, y) => y - x);
  return (a! + 0.05) / (b! + 0.05);
}

function luminance(hex: string): number {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
}
