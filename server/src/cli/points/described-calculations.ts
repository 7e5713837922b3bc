/** The calculated items that a file describes, each after those that it uses, and what becomes of them. */
import { counted } from '#model/text';
import type { ImportTarget } from '../import-target.ts';
import type { DescribedCalculation, DescribedSignal } from './json-lines.ts';

/** Hands on descriptions one at a time, and knows which items of the file are imported. */
export class DescribedCalculations {
  readonly #target: Pick<ImportTarget, 'describeCalculation'>;
  /** Item ID in the file → whether it is imported; false: it is fed by signals of other integrations only. */
  readonly #isImported = new Map<string, boolean>();
  #count = 0;

  constructor(target: Pick<ImportTarget, 'describeCalculation'>) {
    this.#target = target;
  }

  /** Notes the item that a signal feeds; `isOther`: the signal is left out. */
  noteItem({ item }: DescribedSignal, isOther: boolean): void {
    if (item !== null) this.#isImported.set(item.id, !isOther || this.#isImported.get(item.id) === true);
  }

  /** Saves an item, unless all of its inputs are left out. Gives the reason where it cannot be saved. */
  async add(item: DescribedCalculation): Promise<string | null> {
    const inputs = item.versions[item.versions.length - 1].inputs.map(({ id }) => id);
    const leftOut = inputs.filter((id) => this.#isImported.get(id) === false);
    if (leftOut.length > 0) this.#isImported.set(item.id, false);
    if (leftOut.length > 0 && leftOut.length === inputs.length) return null;
    if (leftOut.length > 0)
      return `has inputs of several integrations, such as ${leftOut[0]}, which is not imported now: save it with "tidemark calculated save"`;
    const problem = await this.#target.describeCalculation(item);
    if (problem === null) this.#count++;
    return problem;
  }

  /** What was saved, in a sentence. */
  notes(): string[] {
    return this.#count === 0 ? [] : [`${counted(this.#count, 'calculated item')} saved or there already`];
  }
}
