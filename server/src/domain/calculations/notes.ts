/** What annotations say about calculated items, for programs that know items only (C6). */
import type { CalculationInput, ItemCalculation } from '#model/calculation';

/** The keys. */
export const calculationNotes = {
  formula: 'tidemark/calculated/formula',
  inputs: 'tidemark/calculated/inputs',
  version: 'tidemark/calculated/version',
} as const;

/** The most characters of a text; a longer one is left out, as an annotation has at most so many. */
const charactersMax = 4096;

/** The annotations of a calculated item. An empty one removes what is there. */
export function notesOf({ formula, inputs, version }: ItemCalculation): [key: string, value: string][] {
  return [
    [calculationNotes.formula, bounded(formula)],
    [calculationNotes.inputs, bounded(inputs.map(printInput).join('; '))],
    [calculationNotes.version, String(version)],
  ];
}

function bounded(text: string): string {
  return text.length <= charactersMax ? text : '';
}

/** For example `a = avg of 0123456789abcdefghij, lag 1`. */
function printInput({ alias, aggregation, item, state, lead, lag }: CalculationInput): string {
  const parts = [
    `${alias} = ${aggregation} of ${item}`,
    state === null ? '' : `state ${state}`,
    lead === 0 ? '' : `lead ${lead}`,
    lag === 0 ? '' : `lag ${lag}`,
  ];
  return parts.filter((part) => part !== '').join(', ');
}
