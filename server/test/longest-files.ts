/** The test files that take longest, which a run begins with. */

/** As the end of `npm test` names them, longest first. */
const longest: readonly string[] = [];

/** The files with the longest ones first; the others in the order of their names. */
export function longestFirst(files: readonly string[]): string[] {
  const rankOf = (file: string) => {
    const rank = longest.indexOf(file);
    return rank === -1 ? longest.length : rank;
  };
  return [...files].sort((a, b) => rankOf(a) - rankOf(b) || a.localeCompare(b));
}
