/**
 * A reader thread: answers questions of points and of meta-data on connections that cannot write. Requests of points are
 * worked on in turns, each in a snapshot on a connection of its own; questions of meta-data are short, and answered at once.
 */
import { bug } from '#model/error';
import { openForReading } from './connection.ts';
import type { Call, ReaderCall } from './messages.ts';
import { type Piecework, rollup, scan } from './series-reader.ts';
import { SharedIndex, SnapshotReader } from './snapshot.ts';
import { Statements } from './statements.ts';
import { TaskLoop } from './task-loop.ts';
import { listen, reply, replyError, stopListening, threadOptions } from './thread-port.ts';
import { type Movable, rollupColumns, scanColumns } from './transfer.ts';

/** Decoded rows of the log that a thread keeps. */
const rowBytesMax = 32 * 1024 * 1024;

/** Decoded blocks that a thread keeps. */
const blockBytesMax = 48 * 1024 * 1024;

/** Requests of points that a thread works on at a time; others wait. Each holds a snapshot, and so keeps the log from shrinking. */
const tasksMax = 4;

type SeriesCall = Call<Extract<ReaderCall, { kind: 'scan' | 'rollup' }>>;

listen<ReaderCall>(() => {
  const { directory } = threadOptions;
  const db = openForReading(directory);
  const connections = [db];
  const statements = new Statements(db);
  const shared = new SharedIndex(rowBytesMax, blockBytesMax);
  const free: SnapshotReader[] = [];
  const loop = new TaskLoop();
  let waiting: SeriesCall[] = [];

  const takeSnapshot = (): SnapshotReader => {
    const known = free.pop();
    if (known !== undefined) return known;
    const connection = openForReading(directory);
    connections.push(connection);
    return new SnapshotReader(connection, shared);
  };

  const start = (call: SeriesCall): void => {
    const snapshot = takeSnapshot();
    const release = () => {
      snapshot.end();
      free.push(snapshot);
      const next = waiting.shift();
      if (next !== undefined) start(next);
    };
    loop.add({
      id: call.id,
      work: answerOf(snapshot, shared, call.body),
      done: (result) => {
        release();
        const { result: columns, buffers } = result as Movable<never>;
        reply(call.id, columns, buffers);
      },
      failed: (error) => {
        release();
        replyError(call.id, error);
      },
    });
  };

  return ({ id, body }) => {
    switch (body.kind) {
      case 'sql':
        return answerSql(id, () => statements.run(body.sql, body.params).rows);
      case 'scan':
      case 'rollup': {
        const call = { id, body };
        if (loop.taskCount < tasksMax) start(call);
        else waiting.push(call);
        return;
      }
      case 'cancel':
        waiting = waiting.filter((call) => call.id !== body.call);
        loop.cancel(body.call, new Error('cancelled'));
        return reply(id, null);
      case 'close':
        if (loop.taskCount > 0) bug('a reader was closed while it was working');
        for (const connection of connections) connection.close();
        reply(id, null);
        return stopListening();
    }
  };
});

/** The work of a call, its snapshot included. */
function* answerOf(
  snapshot: SnapshotReader,
  { head }: SharedIndex,
  body: SeriesCall['body'],
): Piecework<Movable<unknown>> {
  snapshot.begin();
  return body.kind === 'scan'
    ? scanColumns(yield* scan(snapshot, head, body.request))
    : rollupColumns(yield* rollup(snapshot, head, body.request));
}

function answerSql(id: number, run: () => ReturnType<Statements['run']>['rows']): void {
  try {
    reply(id, run());
  } catch (error) {
    replyError(id, error);
  }
}
