/** Lets a writer finish when its program is asked to end, for Node. */
import process from 'node:process';
import type { Writer } from './writer.ts';

/** How a program ends. */
export interface ExitOptions {
  /** The signals that end it; default SIGTERM and SIGINT. */
  signals?: readonly ('SIGTERM' | 'SIGINT' | 'SIGHUP')[];
  /** How long the service may take; default 10,000. */
  timeoutMs?: number;
}

/**
 * At a signal the writer is flushed, and the program then ends by that signal, as it would have at once. What is written in
 * the meantime, and what is left at `process.exit()`, is put into the writer's file queue. Undone by what is returned.
 */
export function flushOnExit(writer: Writer, options: ExitOptions = {}): () => void {
  const { signals = ['SIGTERM', 'SIGINT'], timeoutMs = 10_000 } = options;
  const end = (signal: (typeof signals)[number]) => {
    undo();
    const kill = () => {
      writer.storeNow();
      process.kill(process.pid, signal);
    };
    writer.flush({ timeoutMs }).then(kill, kill);
  };
  const store = () => writer.storeNow();
  const undo = () => {
    for (const signal of signals) process.removeListener(signal, end);
    process.removeListener('exit', store);
  };
  for (const signal of signals) process.once(signal, end);
  process.on('exit', store);
  return undo;
}
