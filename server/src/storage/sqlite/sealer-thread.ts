/** The sealer thread: computes the steps of sealing, behind everything else that wants a processor. */
import { setPriority } from 'node:os';
import { openForReading } from './connection.ts';
import type { Call, CallResults, SealerCall } from './messages.ts';
import { Sealer } from './sealer.ts';
import { listen, reply, replyError, stopListening, threadOptions } from './thread-port.ts';

/** Of -20 … 19, larger is later. On Linux this is the thread's own; where it is not allowed, it stays as it is. */
const niceness = 10;

listen<SealerCall>(() => {
  if (process.platform === 'linux') yieldProcessor();
  const db = openForReading(threadOptions.directory);
  const sealer = new Sealer(db);
  const answer = (body: SealerCall): CallResults[SealerCall['kind']] => {
    switch (body.kind) {
      case 'look':
        return sealer.look(body.isIdle);
      case 'step':
        return sealer.step();
      case 'close':
        db.close();
        return null;
    }
  };
  return ({ id, body }: Call<SealerCall>) => {
    try {
      const result = answer(body);
      const transfer = result !== null && 'data' in result ? [result.data] : [];
      reply(id, result, transfer);
      if (body.kind === 'close') stopListening();
    } catch (error) {
      replyError(id, error);
    }
  };
});

function yieldProcessor(): void {
  try {
    setPriority(0, niceness);
  } catch {
    // A system that does not let a thread step back seals at its usual priority.
  }
}
