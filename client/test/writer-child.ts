/** A program that writes without end, and prints the number of the last point that its writer has stored. */
import { readFile } from 'node:fs/promises';
import { Client } from '../src/client.ts';
import { FileQueue } from '../src/file-queue.ts';
import { flushOnExit } from '../src/flush-on-exit.ts';
import { Writer } from '../src/writer.ts';

const [credentialsPath, directory, first, end] = process.argv.slice(2);
const file = JSON.parse(await readFile(credentialsPath, 'utf8'));
const writer = await Writer.open(Client.fromFile(file), {
  integration: file.integration,
  queue: new FileQueue({ directory }),
  batchPoints: 50,
  patience: { firstMs: 20, longestMs: 100 },
});
if (end === 'signal') flushOnExit(writer, { timeoutMs: 20_000 });
if (end === 'exit') process.on('message', () => process.exit(0));
if (end === 'exit') flushOnExit(writer);

for (let number = Number(first); ; number++) {
  writer.write('number', number, number);
  if (number % 20 !== 0) continue;
  await writer.store();
  process.stdout.write(`${number}\n`);
}
