/** A run of test files never waits without end for one of them. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { endOverdue } from './overdue.ts';

const skip = process.platform !== 'linux' && 'processes are found in /proc';

test('ends a file that does not heed SIGTERM, and what a file left behind with its output open', {
  skip,
}, async () => {
  const told: string[] = [];
  const watch = endOverdue(3000, (line) => told.push(line), { lookMs: 100, graceMs: 1500 });
  const deaf = spawn(process.execPath, [
    '-e',
    "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000);",
  ]);
  const gone = spawn('sh', ['-c', 'sleep 987 & sleep 1'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const brief = spawn('sh', ['-c', 'sleep 1 && echo ended by itself'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [[code, signal], left, printed] = await Promise.all([
    once(deaf, 'exit'),
    text(gone.stdout),
    text(brief.stdout),
  ]);
  watch.stop();
  assert.deepEqual([code, signal, left, printed], [null, 'SIGKILL', '', 'ended by itself\n']);
  assert.match(
    told.join('\n'),
    /ENDED, left by its test file: sleep 987\n(.*\n)*ENDED, past its time: .*SIGTERM/,
  );
});
