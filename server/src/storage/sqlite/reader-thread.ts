/**
 * A reader thread: answers requests for points and metadata over read-only connections. Requests for points are processed in
 * time slices; statements on metadata are short, and are run at once.
 */
import { openForReading } from './connection.ts';
import type { Answers, Call, ReaderCall, ThreadOptions } from './messages.ts';
import { type RequestSizes, Requests, requestSizes } from './requests.ts';
import { Searches } from './searches.ts';
import type { SqlTable } from './sql-table.ts';
import { Statements } from './statements.ts';
import { TaskLoop } from './task-loop.ts';

/** Opens the file for reading. Returns the function that serves calls. */
export function serveReader(
  { directory, textCharactersMax }: ThreadOptions,
  answers: Answers,
  sizes: RequestSizes = requestSizes,
): (call: Call<ReaderCall>) => void {
  const db = openForReading(directory);
  const statements = new Statements(db, textCharactersMax);
  const loop = new TaskLoop();
  const requests = new Requests(directory, loop, answers, sizes);
  const searches = new Searches(directory, textCharactersMax, loop, answers);
  const answerSql = (id: number, run: () => SqlTable) => {
    try {
      answers.reply(id, run());
    } catch (error) {
      answers.replyError(id, error);
    }
  };

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
        return answers.reply(id, null);
      case 'close':
        searches.close();
        requests.close();
        db.close();
        answers.reply(id, null);
        return answers.end();
    }
  };
}
