/**
 * A reader thread: answers requests for points and metadata over read-only connections. Requests for points are processed in
 * time slices; statements on metadata are short, and are run at once.
 */
import { openForReading } from './connection.ts';
import type { ReaderCall } from './messages.ts';
import { Requests } from './requests.ts';
import { Searches } from './searches.ts';
import type { SqlTable } from './sql-table.ts';
import { Statements } from './statements.ts';
import { TaskLoop } from './task-loop.ts';
import { listen, reply, replyError, stopListening, threadOptions } from './thread-port.ts';

listen<ReaderCall>(() => {
  const { directory, textCharactersMax } = threadOptions;
  const db = openForReading(directory);
  const statements = new Statements(db, textCharactersMax);
  const loop = new TaskLoop();
  const requests = new Requests(directory, loop);
  const searches = new Searches(directory, textCharactersMax, loop);

  return ({ id, body }) => {
    switch (body.kind) {
      case 'sql':
        return answerSql(id, () => statements.run(body.sql, body.params));
      case 'scan':
      case 'rollup':
      case 'sizes':
        return requests.submit(id, body);
      case 'prepare':
        return requests.prepare(id, body.body, body.expected);
      case 'run':
        return requests.run(id, body.prepared, body.horizonSeq);
      case 'search':
        return searches.submit(id, body.plan);
      case 'match':
        return searches.match(id, body.pattern, body.texts);
      case 'cancel':
        searches.cancel(body.call);
        requests.cancel(body.call);
        return reply(id, null);
      case 'close':
        searches.close();
        requests.close();
        db.close();
        reply(id, null);
        return stopListening();
    }
  };
});

function answerSql(id: number, run: () => SqlTable): void {
  try {
    reply(id, run());
  } catch (error) {
    replyError(id, error);
  }
}
