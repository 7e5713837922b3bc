/**
 * Runs test files: `node server/test/run.ts CONCURRENCY TIMEOUT_MS GLOB…`. On a machine for continuous integration (CI=true)
 * the files that fail are run once more, by themselves, and named; see docs/decisions/0023-failed-files-once-more.md.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A failure here is a finding of random inputs or of a killed process, which a second run may not repeat. */
const onlyOnce = /^server\/test\/(?:property|fault|clickhouse\/property)\b/;
/** More failed files than this are no coincidence. */
const againMax = 5;

const [concurrency = '1', timeoutMs = '600000', ...globs] = process.argv.slice(2);
const reporter = fileURLToPath(new URL('failed-files.ts', import.meta.url));
const directory = mkdtempSync(join(tmpdir(), 'tidemark-run-'));

try {
  process.exitCode = run(concurrency, globs) || (process.env.CI === 'true' && runAgain()) ? 0 : 1;
} finally {
  rmSync(directory, { recursive: true, force: true });
}

/** Whether all tests passed. */
function run(atOnce: string, files: readonly string[]): boolean {
  const { status } = spawnSync(
    process.execPath,
    [
      '--test',
      ...[`--test-concurrency=${atOnce}`, `--test-timeout=${timeoutMs}`],
      ...['--test-reporter=spec', '--test-reporter-destination=stdout'],
      ...[`--test-reporter=${reporter}`, `--test-reporter-destination=${failedList()}`],
      ...files,
    ],
    { stdio: 'inherit' },
  );
  return status === 0;
}

/** Runs the failed files once more, and says so; false when there are none, too many, or some that must not be repeated. */
function runAgain(): boolean {
  const files = readFileSync(failedList(), 'utf8').split('\n').filter(Boolean);
  const names = files.map((file) => relative(process.cwd(), file));
  if (names.length === 0 || names.length > againMax || names.some((name) => onlyOnce.test(name)))
    return false;
  console.log(`\nFAILED, and run once more by themselves:\n${names.map((name) => `  ${name}`).join('\n')}\n`);
  const passed = run('1', files);
  if (passed)
    console.log(`\nUNSTEADY: passed only the second time:\n${names.map((name) => `  ${name}`).join('\n')}\n`);
  return passed;
}

function failedList(): string {
  return join(directory, 'failed');
}
