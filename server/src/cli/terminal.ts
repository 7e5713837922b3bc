/** What a command sees of the process that runs it: environment and streams. */

/** Where text goes. */
export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
}

/** The streams and environment of a run. */
export interface Terminal {
  env: Readonly<Record<string, string | undefined>>;
  /** Results, and nothing else. */
  stdout: Output;
  /** Everything that is said beside the result. */
  stderr: Output;
}

/** Rows as aligned columns under their headings; each cell is one line. */
export function printTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings.map((heading) => heading.toUpperCase()), ...rows];
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  const padded = lines.map((line) => line.map((cell, column) => cell.padEnd(widths[column])).join('  '));
  return padded.map((line) => `${line.trimEnd()}\n`).join('');
}

/** A value as JSON for people and programs. */
export function printJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
