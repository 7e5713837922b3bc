/**
 * Makes the data directory of this release for the releases that come: `node server/test/upgrade/make-directory.ts NAME` writes
 * `NAME/tidemark.db.gz` and `NAME/expected.json` next to this file. To be run once, when a release is made; what is there is
 * never made anew.
 */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Domain } from '#domain/domain';
import { limitDefaults } from '#model/limits';
import { parseScope } from '#model/retention';
import { openDirectory } from '#open-directory';
import { sealed } from '../support/sealed.ts';
import { FixedClock, KeptLog, SeededRandom, testAct } from '../support/world.ts';
import { contentsOf } from './contents.ts';

const baseUrl = 'http://tidemark.test';
const password = 'a long password of a fixture';

/** The first point of every signal. */
const startUs = Date.parse('2026-01-01T00:00:00Z') * 1000;

async function fill(domain: Domain) {
  const { identity, signals, plans, retention, people } = domain;
  const grants = ['admin', 'service'] as const;
  const plant = await identity.createIntegration(testAct, 'Plant', grants);
  const other = await identity.createIntegration(testAct, 'Weather', []);
  const basic = await identity.createCredential(testAct, plant.id, 'basic-auth', 'password');
  const client = await identity.createCredential(testAct, plant.id, 'client-credentials', 'client');
  const inputs = new Map([
    ['walk', { name: 'Random walk', engUnit: '°C', labels: new Map([['site', ['a', 'b']]]) }],
    ['awkward', { description: 'Numbers that are easily lost', gapDetectionUs: 60e6 }],
    [
      'state',
      {
        valueType: 'enum',
        enumValues: new Map([
          ['0', 'off'],
          ['1', 'on'],
        ]),
      },
    ],
  ]);
  const saved = await signals.save(plant.id, inputs, { createOnly: false });
  await signals.save(other.id, new Map([['rain', { annotations: new Map([['a/b', 'c']]) }]]), {
    createOnly: false,
  });
  const frame = new Map(Array.from({ length: frameSignals.length }, (_, k) => [`frame-${k}`, {}]));
  await signals.save(other.id, frame, { createOnly: false });
  const published = new Map(
    [...saved].slice(0, 2).map(([, { id }]) => [id, { name: 'Published', visible: true }]),
  );
  await signals.publish(testAct, plant.id, published, { createOnly: false });
  await plans.set(testAct, 'default', (plan) => ({ ...plan, signalsMax: 1_000_000 }));
  await retention.set(testAct, { scope: parseScope('label:site=z'), keep: { kind: 'calendar', months: 24 } });
  await people.create(testAct, { name: 'ada', password, role: 'admin' });
  await writePoints(domain);
  return {
    basic: { user: plant.id, password: basic.secret },
    client: { id: client.credential.id, secret: client.secret },
    person: { name: 'ada', password },
  };
}

/** Signals that are written in the same rows, about once a minute. */
const frameSignals = [5, 6, 7, 8, 9, 10];

/** Rows at irregular times; a signal has no value in a few of them, and a point of its own. */
async function writeFrames({ series }: Domain): Promise<void> {
  const count = 8000;
  const timesUs = Float64Array.from({ length: count }, (_, i) => startUs + i * 60e6 + ((i * 7919) % 1024));
  const values = new Float64Array(count * frameSignals.length);
  for (let i = 0; i < values.length; i++) values[i] = i % 997 === 0 ? Number.NaN : Math.floor(i / 50) % 7;
  await series.append({ timesUs, signals: frameSignals, values });
  await series.append({ timesUs: Float64Array.of(startUs + 90e6), signals: [6], values: Float64Array.of(1) });
  await series.append({ timesUs: timesUs.slice(100, 105), signals: [7], values: new Float64Array(5) });
}

/** Points in blocks, points that were deleted out of them, and points that are in the log only, some over those in blocks. */
async function writePoints(domain: Domain): Promise<void> {
  const { series } = domain;
  const count = 60_000;
  const walk = new Float64Array(count);
  for (let i = 1; i < count; i++)
    walk[i] = Math.round((walk[i - 1] + ((i * 7919) % 11) / 10 - 0.5) * 10) / 10;
  const awkward = Float64Array.from({ length: count }, (_, i) => awkwardNumber(i));
  const state = Float64Array.from({ length: count }, (_, i) => Math.floor(i / 977) % 2);
  const values = new Float64Array(3 * count);
  for (const [column, part] of [walk, awkward, state].entries()) values.set(part, column * count);
  const timesUs = Float64Array.from({ length: count }, (_, i) => startUs + i * 1e6);
  await series.append({ timesUs, signals: [1, 2, 3], values });
  await writeFrames(domain);
  const window = { startUs: startUs + 1000e6, endUs: startUs + 1100e6 };
  await sealed(directory);
  await series.deletePoints([1], window);
  const late = Float64Array.from([-5, 10, 1050, 70_000], (second) => startUs + second * 1e6);
  await series.append({
    timesUs: late,
    signals: [1, 4],
    values: Float64Array.of(1, 2, 3, 4, 5, Number.NaN, 7, 8),
  });
}

function awkwardNumber(i: number): number {
  const kinds = [-0, 5e-324, 2 ** 53 - 1, 0.1 + 0.2, -1e300, 1 / 3, 123_456.789];
  return i % 500 === 0 ? kinds[(i / 500) % kinds.length] : (i % 60) / 4;
}

const name = process.argv[2];
const target = join(import.meta.dirname, name);
if (existsSync(join(target, 'expected.json'))) throw new Error(`${target} exists: it is never made anew`);
const directory = await mkdtemp(join(tmpdir(), 'tidemark-upgrade-'));
const clock = new FixedClock();
const world = { clock, stopwatch: clock, random: new SeededRandom(), log: new KeptLog() };
const domain = await openDirectory({ directory, limits: limitDefaults, baseUrl }, world);
const secrets = await fill(domain);
const expected = { baseUrl, secrets, contents: await contentsOf(domain) };
await domain.close();
await mkdir(target, { recursive: true });
await writeFile(
  join(target, 'tidemark.db.gz'),
  gzipSync(await readFile(join(directory, 'tidemark.db')), { level: 9 }),
);
await writeFile(join(target, 'expected.json'), `${JSON.stringify(expected, null, 2)}\n`);
await rm(directory, { recursive: true });
