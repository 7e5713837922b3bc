/** Prints the result of a command: as JSON with `--json`, else as text. */
import type { Call } from './command.ts';
import { printJson, printTable } from './terminal.ts';

/** Prints a value for programs, or `text` for people. */
export function printResult({ config, terminal }: Call, value: unknown, text: string): void {
  terminal.stdout.write(config.settings.json ? printJson(value) : `${text.trimEnd()}\n`);
}

/** Prints values for programs, or for people a table with a row of cells for each. */
export function printRows<Value>(
  call: Call,
  values: readonly Value[],
  headings: readonly string[],
  cellsOf: (value: Value) => string[],
): void {
  printResult(call, values, printTable(headings, values.map(cellsOf)));
}
