/** A reader thread: answers questions of points and of meta-data on a connection that cannot write. */
import { openForReading } from './connection.ts';
import type { Call, ReaderCall } from './messages.ts';
import { SeriesReader } from './series-reader.ts';
import { Statements } from './statements.ts';
import { listen, reply, replyError, stopListening, threadOptions } from './thread-port.ts';
import { columnsForTransfer } from './transfer.ts';

listen<ReaderCall>(() => {
  const db = openForReading(threadOptions.directory);
  const statements = new Statements(db);
  const series = new SeriesReader(db);

  const answer = ({ id, body }: Call<ReaderCall>) => {
    switch (body.kind) {
      case 'sql':
        return reply(id, statements.run(body.sql, body.params).rows);
      case 'scan': {
        const points = columnsForTransfer(series.scan(body.request));
        return reply(
          id,
          points,
          points.flatMap((run) => [run.timesUs.buffer as ArrayBuffer, run.values.buffer as ArrayBuffer]),
        );
      }
      case 'rollup':
        return;
      case 'close':
        db.close();
        reply(id, null);
        return stopListening();
    }
  };
  return (call) => {
    try {
      answer(call);
    } catch (error) {
      replyError(call.id, error);
    }
  };
});
