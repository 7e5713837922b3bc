/**
 * Runs test files: `node server/test/run.ts CONCURRENCY TIMEOUT_MS GLOB…`, those that take longest first and the small ones
 * several in one process, and prints which took longest (docs/decisions/0036-tests-in-one-run.md). On a machine for continuous integration (CI=true) the files that fail are run
 * once more, by themselves, and named (docs/decisions/0023-failed-files-once-more.md).
 */
import { globSync, rmSync } from 'node:fs';
import { relative } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { grouped } from './groups.ts';
import { isLong, longestFirst } from './longest-files.ts';
import { endOverdue } from './overdue.ts';

/** A failure here is a finding of random inputs or of a killed process, which a second run may not repeat. */
const onlyOnce = /^server\/test\/(?:property|fault|clickhouse\/property)\b/;
/** More failed files than this are no coincidence. */
const againMax = 5;
/** How many files are printed with their time. */
const printedMax = 10;
/** Where the modules of groups are; two runs at once do not share them. */
const groupDirectory = `node_modules/.cache/test-groups/${process.pid}`;

const [concurrency = '1', timeoutMs = '600000', ...globs] = process.argv.slice(2);

/** How a run of files ended. */
interface Outcome {
  passed: boolean;
  /** The files with failed tests. */
  failed: readonly string[];
}

/** What is told of a test that has ended. */
interface TestEnd {
  entryFile?: string;
  file?: string;
  nesting: number;
  name: string;
  details: { duration_ms: number };
}

const outcome = await runFiles(longestFirst(globSync(globs)), Number(concurrency));
const passed = outcome.passed || (process.env.CI === 'true' && (await runAgain(outcome.failed)));
process.exitCode = passed ? 0 : 1;

async function runFiles(files: readonly string[], atOnce: number): Promise<Outcome> {
  const failed = new Set<string>();
  const seconds = new Map<string, number>();
  let passed = false;
  const entries = grouped(files, isLong, groupDirectory);
  const groups = new Map(
    entries.filter(({ files }) => files.length > 1).map(({ path, files }) => [path, files]),
  );
  const events = run({
    files: entries.map(({ path }) => path),
    concurrency: atOnce,
    timeout: Number(timeoutMs),
  });
  // A test of a suite that several files share counts for the file that ran it, which in a group is the outermost test.
  const noteEnd = ({ entryFile, file, nesting, name, details }: TestEnd, hasFailed: boolean) => {
    const ranIn = nameOf(entryFile ?? file);
    const group = groups.get(ranIn);
    if (group !== undefined && nesting === 0) seconds.set(name, details.duration_ms / 1000);
    if (!hasFailed || (group !== undefined && nesting > 0)) return;
    // What is neither a file's nor alone is the end of the process: nobody knows which file it was.
    for (const each of group === undefined ? [ranIn] : group.includes(name) ? [name] : group)
      failed.add(each);
  };
  events.on('test:pass', (end) => noteEnd(end, false));
  events.on('test:fail', (end) => noteEnd(end, true));
  events.on('test:summary', ({ file, success, duration_ms }) => {
    if (file === undefined) passed = success;
    else if (!groups.has(nameOf(file))) seconds.set(nameOf(file), duration_ms / 1000);
  });
  const watch = endOverdue(Number(timeoutMs), (line) => console.log(`\n${line}\n`));
  for await (const text of events.compose(new spec())) process.stdout.write(text);
  watch.stop();
  rmSync(groupDirectory, { recursive: true, force: true });
  printLongest(seconds);
  return { passed, failed: [...failed] };
}

function nameOf(file = ''): string {
  return relative(process.cwd(), file);
}

function printLongest(seconds: ReadonlyMap<string, number>): void {
  const longest = [...seconds].sort(([, a], [, b]) => b - a).slice(0, printedMax);
  const lines = longest.map(([name, time]) => `  ${time.toFixed(0).padStart(4)} s ${name}`);
  console.log(`\nFiles that took longest:\n${lines.join('\n')}\n`);
}

/** Runs the failed files once more, and says so; false when there are none, too many, or some that must not be repeated. */
async function runAgain(failed: readonly string[]): Promise<boolean> {
  if (failed.length === 0 || failed.length > againMax || failed.some((name) => onlyOnce.test(name)))
    return false;
  const list = failed.map((name) => `  ${name}`).join('\n');
  console.log(`\nFAILED, and run once more by themselves:\n${list}\n`);
  const { passed } = await runFiles(failed, 1);
  if (passed) console.log(`\nUNSTEADY: passed only the second time:\n${list}\n`);
  return passed;
}
