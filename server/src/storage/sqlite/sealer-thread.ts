/** The sealer thread: computes the steps of sealing at a lower priority than the other threads. */
import { setPriority } from 'node:os';
import { openForReading } from './connection.ts';
import { Eraser } from './eraser.ts';
import type { Call, CallResults, SealerCall } from './messages.ts';
import { Sealer, sealLimits } from './sealer.ts';
import { SharedIndex } from './snapshot.ts';
import { listen, reply, replyError, stopListening, threadOptions } from './thread-port.ts';

/** From -20 to 19; a larger number is a lower priority. On Linux it applies to the thread only. Ignored if not permitted. */
const niceness = 5;

/** Decoded rows of the log that are kept while points of many signals are deleted. */
const rowBytesMax = 16 * 1024 * 1024;

listen<SealerCall>(() => {
  if (process.platform === 'linux') yieldProcessor();
  const db = openForReading(threadOptions.directory);
  const shared = new SharedIndex(rowBytesMax, 0);
  const sealer = new Sealer(db, sealLimits, shared);
  const eraser = new Eraser(db, shared);
  const answer = (body: SealerCall): CallResults[SealerCall['kind']] => {
    switch (body.kind) {
      case 'look':
        return sealer.look(body.isIdle);
      case 'step':
        return sealer.step();
      case 'plan-erase':
        return eraser.plan(body.request);
      case 'close':
        db.close();
        return null;
    }
  };
  return ({ id, body }: Call<SealerCall>) => {
    try {
      const result = answer(body);
      reply(id, result, buffersOf(result));
      if (body.kind === 'close') stopListening();
    } catch (error) {
      replyError(id, error);
    }
  };
});

/** The buffers of a step, which are transferred. */
function buffersOf(result: CallResults[SealerCall['kind']]): ArrayBuffer[] {
  if (result === null || 'isDue' in result) return [];
  if ('data' in result) return [result.data];
  return result.step === null ? [] : [result.step.data];
}

function yieldProcessor(): void {
  try {
    setPriority(0, niceness);
  } catch {
    // If the system does not permit it, sealing runs at normal priority.
  }
}
