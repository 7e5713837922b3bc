/** Names of files that are downloaded. */

/** A name that every file system takes: `pump-1-flow_2026-11-13.csv`. */
export function fileName(title: string, extension: string): string {
  const stem = title
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .toLowerCase();
  return `${stem.slice(0, 80) || 'data'}.${extension}`;
}
