/** A reporter of `node --test` that prints the files with failed tests, a line each, once the run has ended. */
import type { TestEvent } from 'node:test/reporters';

/** Yields nothing until the last event. */
export default async function* failedFiles(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const files = new Set<string>();
  for await (const event of events) {
    if (event.type === 'test:fail' && event.data.file !== undefined) files.add(event.data.file);
  }
  for (const file of files) yield `${file}\n`;
}
