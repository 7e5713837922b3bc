/** The test files that take longest, which a run begins with. */

/** Roughly by their time, longest first, as the end of a run names it; those of a few seconds are left out. */
const longest: readonly string[] = [
  'server/test/docs/pages.test.ts',
  'server/test/packaging/image.test.ts',
  'server/test/bench.test.ts',
  'server/test/cli/identity.test.ts',
  'server/test/cluster/faults.test.ts',
  'server/test/cli/import.test.ts',
  'server/test/cluster/migrate.test.ts',
  'server/test/cli/import-files.test.ts',
  'console/test/pages-explorer.test.ts',
  'console/test/pages-overlays.test.ts',
  'console/test/pages.test.ts',
  'server/test/fault/kill.test.ts',
  'server/test/fault/kill-delete.test.ts',
  'server/test/fault/corruption.test.ts',
  'client/test/writer-service.test.ts',
  'client/test/python.test.ts',
  'server/test/cluster/commands.test.ts',
  'server/test/wire/live/resume.test.ts',
  'server/test/cases/cases.test.ts',
  'server/test/property/rpc-fuzz.test.ts',
  'server/test/property/store-sqlite.test.ts',
  'server/test/unit/storage/sqlite/sealing.test.ts',
];

/** Whether a file is one of those that take longest. */
export function isLong(file: string): boolean {
  return longest.includes(file);
}

/** The files with the longest ones first; the others in the order of their names. */
export function longestFirst(files: readonly string[]): string[] {
  const rankOf = (file: string) => (longest.includes(file) ? longest.indexOf(file) : longest.length);
  return [...files].sort((a, b) => rankOf(a) - rankOf(b) || a.localeCompare(b));
}
