/**
 * The writer thread: the only one of the process that writes to the file. It gathers what has arrived into transactions, and
 * acknowledges after their commits. While a transaction of a caller is open, other work queues behind it.
 */
import { openForWriting } from './connection.ts';
import { keepReserve, openWithReserve } from './disk-reserve.ts';
import { LogWriter } from './log-writer.ts';
import type { Answers, Call, ThreadOptions, WriterCall } from './messages.ts';
import { SealWriter } from './seal-writer.ts';
import { takeServingLock } from './serving-lock.ts';
import { Writer } from './writer.ts';

/** Opens the file for writing, and takes the lock of a service. Returns the function that serves calls. */
export function serveWriter(options: ThreadOptions, answers: Answers): (call: Call<WriterCall>) => void {
  const { directory, serving, fileBytesMax, textCharactersMax } = options;
  const db = openWithReserve(directory, () => openForWriting(directory, fileBytesMax));
  const releaseLock = serving ? takeServingLock(directory) : () => {};
  if (serving) keepReserve(directory);
  const log = new LogWriter(db);
  const sealing = new SealWriter(db);
  const writer = new Writer(db, textCharactersMax, answers);

  return ({ id, body }) => {
    switch (body.kind) {
      case 'append':
        return writer.submit(id, () => log.append(body.buffers, body.headBytes), {
          bytes: body.buffers.reduce((sum, { byteLength }) => sum + byteLength, 0),
          settled: () => free(body.buffers),
        });
      case 'delete':
        return writer.submit(id, () => log.deleteSignals(body.signals), { isAlone: true });
      case 'seal':
        return writer.submit(id, () => sealing.apply(body.step));
      case 'erase':
        return writer.submit(id, () => sealing.erase(body.step, body.isDeletion));
      case 'trim':
        return writer.submit(id, () => sealing.trim());
      case 'vacuum':
        return writer.submit(id, () => sealing.vacuum(body), { isAlone: true, isTransaction: false });
      case 'read':
        return writer.answer(id, () => writer.read(id, body));
      case 'transact':
        return writer.transact({ id, steps: body.steps, end: body.end });
      case 'execute':
        return writer.answer(id, () => writer.execute(id, body));
      case 'commit':
        return writer.answer(id, () => writer.commit(id));
      case 'rollback':
        return writer.answer(id, () => writer.rollback(id));
      case 'close':
        writer.answer(id, () => {
          try {
            return writer.close();
          } finally {
            releaseLock();
          }
        });
        return answers.end();
    }
  };
}

/** Gives the memory of rows back at once, since the garbage collector would let them gather. */
function free(buffers: readonly ArrayBuffer[]): void {
  for (const buffer of buffers) buffer.transfer(0);
}
