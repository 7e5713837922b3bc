/**
 * A process whose data directory is on a small disk: `node full-disk-child.ts DIRECTORY`. It stores points and closes the store,
 * fills the disk to its last byte, opens the store again, reads, tries to write, frees disk space, and writes. It reports each outcome.
 */
import { appendFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { limitDefaults } from '#model/limits';
import { openSqlite, type SqliteStore } from '#storage/sqlite/store';
import { stoppedClock as clock, silentLog as log } from '../support/world.ts';
import { batchNumbered, signalsOf } from './numbered-batch.ts';

const disk = process.argv[2];
const directory = join(disk, 'data');
const filler = join(disk, 'filler');

function open(): Promise<SqliteStore> {
  return openSqlite({ directory, clock, log, limits: limitDefaults, serving: true });
}

/** Pieces get smaller until not a byte more fits. */
function fillDisk(): void {
  for (const bytes of [65_536, 4096, 1]) {
    try {
      for (;;) appendFileSync(filler, new Uint8Array(bytes).fill(1));
    } catch {
      // Full, for pieces of this size.
    }
  }
}

async function countPoints({ series }: SqliteStore): Promise<number> {
  const [count] = await series.countPoints([signalsOf(0)[0]], { startUs: 0, endUs: 2 ** 53 });
  return count;
}

const before = await open();
for (let batch = 0; batch < 10; batch++) await before.series.append(batchNumbered(0, batch));
console.log(`stored ${await countPoints(before)}`);
await before.close();

fillDisk();
const full = await open();
console.log(`read ${await countPoints(full)}`);
let refusal = '';
for (let batch = 10; refusal === ''; batch++) {
  await full.series.append(batchNumbered(0, batch)).catch((error: Error) => {
    refusal = error.message;
  });
}
console.log(`refused ${refusal}`);
rmSync(filler);
const held = await countPoints(full);
await full.series.append(batchNumbered(0, 1000));
console.log(`written ${(await countPoints(full)) > held}`);
await full.close();
