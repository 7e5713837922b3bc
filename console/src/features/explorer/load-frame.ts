/** Calls that answer with a data frame; large answers are read by a thread of their own. */
import { callAny, clientReading } from '../../platform/rpc/rpc.ts';
import { parseAnswer } from './answer.ts';
import type { Columns } from './frame.ts';
import type { Done, Task } from './frame-worker.ts';
import type { Request } from './request.ts';

/** For fewer bytes a thread would cost more than it saves. */
const workerBytesMin = 500_000;

const client = clientReading((bytes) =>
  bytes.byteLength < workerBytesMin ? Promise.resolve(parseAnswer(bytes)) : parseElsewhere(bytes),
);

/** The frame of a call. Fails as {@link call}. */
export async function loadFrame({ method, params }: Request, signal: AbortSignal): Promise<Columns> {
  const { data } = (await callAny(method, params, { signal, client })) as { data: Columns };
  return data;
}

interface Waiting {
  resolve(answer: unknown): void;
  reject(error: Error): void;
}

const waiting = new Map<number, Waiting>();
let worker: Worker | null = null;
let lastId = 0;

function parseElsewhere(bytes: ArrayBuffer): Promise<unknown> {
  worker ??= startWorker();
  const id = ++lastId;
  const task: Task = { id, bytes };
  worker.postMessage(task, [bytes]);
  return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
}

function startWorker(): Worker {
  const started = new Worker(new URL('./frame-worker.ts', import.meta.url), { type: 'module' });
  started.addEventListener('message', ({ data }: MessageEvent<Done>) => {
    const { resolve, reject } = waiting.get(data.id)!;
    waiting.delete(data.id);
    if (data.problem === undefined) resolve(data.answer);
    else reject(new Error(data.problem));
  });
  // The file is gone after an upgrade: pending answers fail, and the next one starts a new thread.
  started.addEventListener('error', () => {
    for (const { reject } of waiting.values()) reject(new Error('the answer could not be read'));
    waiting.clear();
    worker = null;
  });
  return started;
}
