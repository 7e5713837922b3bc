/** The part of the benchmark about clusters runs, on small data. Nothing here is about how fast anything is. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { missingForNodes } from '../support/cluster-nodes.ts';
import { compileCache } from '../support/compile-cache.ts';

const skip = missingForNodes() ?? false;

test('the benchmark of clusters gives its figures', { skip, timeout: 300_000 }, async () => {
  const main = join(import.meta.dirname, '../../bench/main.ts');
  const args = ['--cluster', '--stored', '0.01', '--tiny', '--seconds', '0.06', '--times', '1'];
  const options = { timeout: 280_000, env: { ...process.env, ...compileCache } };
  const { stdout } = await promisify(execFile)(process.execPath, [main, ...args], options);
  const names = ['ingest 100×100', 'ingest 1×1,', 'a single value', 'raw 21,600 points', '50 of 500 signals'];
  for (const title of ['embedded', '1 node', '2 nodes'])
    for (const name of names)
      assert.ok(stdout.includes(`\n${title}: ${name}`), `${title}: ${name}\n${stdout}`);
  assert.match(stdout, /\n1 node: inserts of a node into a shard, 1×1/);
});
