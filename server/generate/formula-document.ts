/** The functions and names of formulas as a file, for editors: the console completes and explains from it. */
import { printSignature } from '#domain/formula/check';
import { functionTable, namedValues } from '#domain/formula/function-table';

/** Where the file is kept: next to the console's editor. */
export const formulaDocumentUrl = new URL(
  '../../console/src/features/formula/functions.json',
  import.meta.url,
);

/** The text of the file: every function with its signature, meaning and examples, then constants and variables. */
export function formulaDocument(): string {
  const functions = functionTable.map((entry) => ({
    name: entry.name,
    family: entry.family,
    signature: printSignature(entry),
    parameters: entry.parameters.map(({ name, kind, default: standard }) => ({
      name,
      kind,
      isRequired: standard === undefined,
    })),
    isVariadic: entry.variadic,
    meaning: entry.meaning,
    examples: entry.examples,
  }));
  const names = namedValues.map(({ name, meaning }) => ({ name, meaning }));
  return `${JSON.stringify({ functions, names }, null, 2)}\n`;
}
