/** What a process of a test tells the one that started it. */
import { writeSync } from 'node:fs';

const never = new Int32Array(new SharedArrayBuffer(4));

/**
 * Writes a line to the standard output before anything else can happen. Waits while the pipe is full: a process with threads has
 * made it one that refuses to write then (EAGAIN), and 278 lines that nobody has read yet fill it, however short they are.
 */
export function say(line: string): void {
  for (;;) {
    try {
      writeSync(1, `${line}\n`);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      Atomics.wait(never, 0, 0, 1);
    }
  }
}
