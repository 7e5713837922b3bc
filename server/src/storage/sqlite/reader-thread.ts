/** A reader thread: answers questions of points and of meta-data on a connection that cannot write. */
import { openForReading } from './connection.ts';
import type { Call, ReaderCall } from './messages.ts';
import { SeriesReader } from './series-reader.ts';
import { Statements } from './statements.ts';
import { listen, reply, replyError, stopListening, threadOptions } from './thread-port.ts';
import { type Movable, rollupColumns, scanColumns } from './transfer.ts';

listen<ReaderCall>(() => {
  const db = openForReading(threadOptions.directory);
  const statements = new Statements(db);
  const series = new SeriesReader(db);

  const answer = ({ id, body }: Call<ReaderCall>) => {
    switch (body.kind) {
      case 'sql':
        return reply(id, statements.run(body.sql, body.params).rows);
      case 'scan':
        return replyColumns(id, scanColumns(series.scan(body.request)));
      case 'rollup':
        return replyColumns(id, rollupColumns(series.rollup(body.request)));
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

function replyColumns<T>(id: number, { result, buffers }: Movable<T>): void {
  reply(id, result as never, buffers);
}
