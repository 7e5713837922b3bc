/** Values and errors of single parameters. */
import type { Schema } from './document.ts';

/** A number where that is one of the alternatives and the text is one, else the text; undefined when it is empty. */
export function scalarOf(text: string, { anyOf = [] }: Schema): unknown {
  if (text === '') return undefined;
  const takesNumbers = anyOf.some(({ type }) => type === 'integer' || type === 'number');
  return takesNumbers && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

/** The errors about a parameter and about what is below it, as one text; undefined when there are none. */
export function faultOf(
  faults: Readonly<Record<string, readonly string[]>>,
  name: string,
): string | undefined {
  const mine = Object.entries(faults).filter(([path]) => path === name || path.startsWith(`${name}.`));
  if (mine.length === 0) return undefined;
  return mine
    .map(([path, messages]) => `${path === name ? '' : `${path}: `}${messages.join('; ')}`)
    .join('; ');
}
