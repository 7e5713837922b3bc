/** Calculated items with all their versions, as another instance has exported them (X8a). */
import { aliasProblem } from '#domain/formula/formula';
import type { CalculationChoice, CalculationVersion } from '#model/calculation';
import { conflict } from '#model/error';
import type { Limits } from '#model/limits';
import { type ProblemList, quote } from '#model/problem-list';
import type { Item } from '#model/signal';
import { canonicalJson } from '../audit/canonical.ts';
import type { ItemChange } from '../signals/change.ts';
import { viewOfChoice } from './audit-view.ts';

/** A version of a history, whose item is that of the history. */
export type PastVersion = Omit<CalculationVersion, 'item'>;

/** An item and how it was calculated over time. */
export interface CalculationHistory {
  item: ItemChange;
  /** Ascending, without a gap; the last one is in use. */
  versions: readonly PastVersion[];
}

/** The most characters of who has saved a version. */
const actorCharactersMax = 200;

/** Notes every problem of a history by path. Earlier versions are shown only: of them what bounds their size is checked. */
export function checkHistory(versions: readonly PastVersion[], limits: Limits, problems: ProblemList): void {
  const { calculationVersionsMax: max } = limits;
  if (versions.length === 0) problems.add(['versions'], 'must have at least one version');
  if (versions.length > max) problems.add(['versions'], `must be at most ${max}, got ${versions.length}`);
  if (versions.length > max) return;
  for (const [i, { calculation, actor }] of versions.entries()) {
    const expected = i === 0 ? Math.max(1, calculation.version) : versions[0].calculation.version + i;
    if (calculation.version !== expected)
      problems.add(['versions', i, 'version'], `must be ${expected}, got ${calculation.version}`);
    if (actor.length > actorCharactersMax)
      problems.add(['versions', i, 'actor'], `must be at most ${actorCharactersMax} characters`);
    checkSize(calculation, limits, (path, problem) => problems.add(['versions', i, path], problem));
  }
}

function checkSize(
  { formula, inputs }: CalculationChoice,
  { formulaCharactersMax, calculationInputsMax }: Limits,
  report: (path: string, problem: string) => void,
): void {
  if (formula.length > formulaCharactersMax)
    report('formula', `must be at most ${formulaCharactersMax} characters, got ${formula.length}`);
  if (inputs.length > calculationInputsMax)
    report('inputs', `must be at most ${calculationInputsMax}, got ${inputs.length}`);
  if (inputs.some(({ alias }) => aliasProblem(alias) !== null)) report('inputs', 'must have valid aliases');
}

/** Refuses a history that does not go on from what the item is now: `conflict`, with what is different. */
export function requireHistory({ id, calculation }: Item, versions: readonly PastVersion[]): void {
  if (calculation === null) throw conflict(`the item ${id} is there, and is not a calculated item`);
  const same = versions.find((one) => one.calculation.version === calculation.version);
  const newest = versions[versions.length - 1].calculation.version;
  if (same === undefined)
    throw conflict(
      `the calculated item ${id} is there in version ${calculation.version}, which is not in the history up to ${newest}`,
    );
  if (canonicalJson(viewOfChoice(same.calculation)) === canonicalJson(viewOfChoice(calculation))) return;
  const formula = quote(calculation.formula);
  throw conflict(
    `the calculated item ${id} is there with another version ${calculation.version}: ${formula} over ${idsOf(calculation)}, and not ${quote(same.calculation.formula)} over ${idsOf(same.calculation)}`,
  );
}

function idsOf({ inputs }: CalculationChoice): string {
  const ids = inputs.slice(0, 5).map(({ item }) => item);
  return ids.join(', ') + (inputs.length > ids.length ? ', \u2026' : '');
}

/** Who has saved a version, and who says so. */
export function importedBy(actor: string, importer: string): string {
  const [first] = actor.split(separator);
  return `${first}${separator}${importer}`;
}

const separator = ', imported by ';
