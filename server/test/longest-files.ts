/** The test files that take longest, which a run begins with. */

/** By their time in a run, longest first, as its end names them; those of a few seconds are left out. */
const longest: readonly string[] = [
  'server/test/docs/pages.test.ts',
  'server/test/packaging/image.test.ts',
  'server/test/bench.test.ts',
  'server/test/cli/identity.test.ts',
  'server/test/packaging/systemd.test.ts',
  'server/test/cluster/faults.test.ts',
  'server/test/cli/import-files.test.ts',
  'server/test/fault/corruption.test.ts',
  'server/test/cluster/migrate.test.ts',
  'server/test/cluster/commands.test.ts',
  'console/test/pages-explorer.test.ts',
  'console/test/pages-overlays.test.ts',
  'console/test/pages-signals.test.ts',
  'console/test/pages.test.ts',
  'server/test/fault/kill.test.ts',
  'server/test/fault/kill-delete.test.ts',
];

/** The files with the longest ones first; the others in the order of their names. */
export function longestFirst(files: readonly string[]): string[] {
  const rankOf = (file: string) => (longest.includes(file) ? longest.indexOf(file) : longest.length);
  return [...files].sort((a, b) => rankOf(a) - rankOf(b) || a.localeCompare(b));
}
