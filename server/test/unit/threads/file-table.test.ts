/** Room in the table of open files. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { growFileTable } from '#threads/file-table';

/** Files for which the system's table of this process has room. */
async function roomForFiles(): Promise<number> {
  const status = await readFile('/proc/self/status', 'utf8');
  return Number(/^FDSize:\s+(\d+)$/m.exec(status)?.[1]);
}

if (process.platform === 'linux')
  test('the table of open files has room for more, and no file stays open', async () => {
    const [before, openBefore] = [await roomForFiles(), await readdir('/proc/self/fd')];
    const end = growFileTable(before + 1);
    for (let k = 0; k < 3000 && (await roomForFiles()) < 2 * before; k++) await wait(20);
    assert.ok((await roomForFiles()) >= 2 * before);
    await end();
    const open = await readdir('/proc/self/fd');
    assert.ok(open.length < openBefore.length + 10, `${open.length} files are open`);
  });
