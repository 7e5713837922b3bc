/**
 * The sealer thread: computes the steps of sealing and of deletions, and checkpoints the write-ahead log, at a lower priority than
 * the other threads.
 */
import { Checkpoints } from './checkpoints.ts';
import { openForReading } from './connection.ts';
import { Eraser, stepBlocksMax } from './eraser.ts';
import type { Answers, Call, CallResults, SealerCall, ThreadOptions } from './messages.ts';
import { Sealer, sealLimits } from './sealer.ts';
import { SharedIndex } from './snapshot.ts';
import { TimeMigration } from './time-migration.ts';

/** Decoded rows of the log that are kept while points of many signals are deleted. */
const rowBytesMax = 16 * 1024 * 1024;

/** Opens the file for reading and for checkpoints. Returns the function that serves calls. */
export function serveSealer(
  { directory }: ThreadOptions,
  answers: Answers,
  limits = sealLimits,
  eraseBlocksMax = stepBlocksMax,
): (call: Call<SealerCall>) => void {
  const db = openForReading(directory);
  const checkpoints = new Checkpoints(directory);
  const shared = new SharedIndex(rowBytesMax, 0);
  const sealer = new Sealer(db, limits, shared);
  const eraser = new Eraser(db, shared, eraseBlocksMax);
  const migration = new TimeMigration(db, shared, limits);
  const answer = (body: SealerCall): CallResults[SealerCall['kind']] => {
    if (body.kind === 'look' || body.kind === 'step') checkpoints.runIfDue();
    if (body.kind === 'look') return sealer.look(body.isIdle, body.mayWait);
    if (body.kind === 'step') return sealer.step();
    if (body.kind === 'plan-erase') return eraser.plan(body.request);
    if (body.kind === 'share-times') return migration.plan(body.isApplied);
    checkpoints.close();
    db.close();
    return null;
  };
  return ({ id, body }) => {
    try {
      const result = answer(body);
      answers.reply(id, result, buffersOf(result));
      if (body.kind === 'close') answers.end();
    } catch (error) {
      answers.replyError(id, error);
    }
  };
}

/** The buffers of a step, which are transferred. */
function buffersOf(result: CallResults[SealerCall['kind']]): ArrayBuffer[] {
  if (result === null || 'isDue' in result) return [];
  if ('data' in result) return [result.data];
  return result.step === null ? [] : [result.step.data];
}
