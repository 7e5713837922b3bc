/** What a command sees of the process that runs it: environment and streams. */

/** Where results go: text, or bytes. */
export interface Output {
  write(data: string | Uint8Array): unknown;
  readonly isTTY?: boolean;
}

/** The streams and environment of a run. */
export interface Terminal {
  env: Readonly<Record<string, string | undefined>>;
  /** Results, and nothing else. */
  stdout: Output;
  /** Everything else that is printed. */
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

/** A whole number with commas between its thousands. */
export function printNumber(value: number): string {
  return value.toLocaleString('en-US');
}

/** A date: RFC 3339, UTC. */
export function printDate(ms: number): string {
  return new Date(ms).toISOString();
}

/** A count with its noun, with commas between thousands: `1 row`, `2,000 rows`. */
export function printCount(count: number, one: string, many = `${one}s`): string {
  return `${printNumber(count)} ${count === 1 ? one : many}`;
}

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** A number of bytes in the unit that suits it. */
export function printBytes(bytes: number): string {
  const step = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** step;
  return `${step === 0 ? value : value.toFixed(1)} ${units[step]}`;
}
