/**
 * A process that writes until it is killed: `node store-child.ts DIRECTORY NEXT…`. Each of several writers has ten signals of
 * its own and stores batch after batch, NEXT being its first; after each acknowledgement it says `WRITER BATCH`, and after
 * each refusal, before it tries again, `refused MESSAGE`. It rests PAUSE_MS between two batches (environment; default: not at
 * all, so that other processes may wait long for SQLite's lock). SEALS_OFTEN says that sealing looks at the log often and does not wait for processors.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '#model/error';
import { limitDefaults } from '#model/limits';
import { openSqlite } from '#storage/sqlite/store';
import { say } from '../support/say.ts';
import { stoppedClock as clock, silentLog as log } from '../support/world.ts';
import { batchNumbered } from './numbered-batch.ts';

const [directory, ...nexts] = process.argv.slice(2);
const pauseMs = Number(process.env.PAUSE_MS ?? 0);
const often = { lookBytes: 256 * 1024, lookBatches: 64, idleMs: 1500, waitMs: 0 };
const sealPace = process.env.SEALS_OFTEN === undefined ? undefined : often;
const options = { directory, clock, log, limits: limitDefaults, serving: true, sealPace };
const { series } = await openSqlite(options);
say('open');

await Promise.all(
  nexts.map(async (next, writer) => {
    for (let batch = Number(next); ; batch++) {
      await store(writer, batch);
      say(`${writer} ${batch}`);
      if (pauseMs > 0) await sleep(pauseMs);
    }
  }),
);

async function store(writer: number, batch: number): Promise<void> {
  for (;;) {
    try {
      return await series.append(batchNumbered(writer, batch));
    } catch (error) {
      if (!(error instanceof AppError) || error.kind !== 'unavailable') throw error;
      say(`refused ${error.message}`);
      await sleep(50);
    }
  }
}
