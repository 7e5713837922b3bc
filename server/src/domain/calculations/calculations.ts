/** Calculated items: items whose values are a formula over other items (C1). */
import type { Act } from '#model/act';
import type { CalculationChoice, CalculationVersion, ItemCalculation } from '#model/calculation';
import { type Clock, clockMs } from '#model/environment';
import { AppError, conflict, invalidParams } from '#model/error';
import type { Limits } from '#model/limits';
import { ProblemList, quote } from '#model/problem-list';
import type { Item } from '#model/signal';
import type { XidSource } from '#model/xid';
import type { MetaPart, MetaReads, MetaWrites } from '#storage/meta-store';
import { canonicalJson } from '../audit/canonical.ts';
import { changesOf, record } from '../audit/record.ts';
import { attributesOf, checkChange, mergeAnnotations } from '../signals/attributes.ts';
import type { ItemChange } from '../signals/change.ts';
import { describeUnknownItems } from '../signals/unknown-ids.ts';
import { auditViewOf, viewOfChoice } from './audit-view.ts';
import { checkChoice } from './check.ts';
import { cycleFrom, graphOf, type InputGraph, inputsBehind, levelsOf, usersAbove } from './graph.ts';
import { type CalculationHistory, checkHistory, importedBy, requireHistory } from './history.ts';
import { notesOf } from './notes.ts';

interface CalculationsOptions {
  meta: MetaPart<'items' | 'signals' | 'calculationVersions' | 'audit'>;
  clock: Clock;
  ids: XidSource;
  limits: Limits;
}

/** What an administrator saves: the item, whose `sampleIntervalUs` is left out, and how it is computed. */
export interface CalculatedChange {
  item: ItemChange;
  calculation: CalculationChoice;
}

/** An item among others: what its formula uses, and which formulas use it. */
export interface ItemUses {
  item: Item;
  inputs: readonly Item[];
  usedBy: readonly Item[];
}

/** A calculated item as it is stored. */
interface Stored {
  id: string;
  change: ItemChange;
  calculation: ItemCalculation;
  /** Those that are new. */
  versions: readonly CalculationVersion[];
}

/** What a {@link Calculations.restore} has done. */
export interface Restored {
  item: Item;
  isChanged: boolean;
}

type Transaction = Pick<MetaWrites, 'items' | 'signals' | 'calculationVersions' | 'audit'>;

/** The calculated items of one store. */
export class Calculations {
  readonly #options: CalculationsOptions;

  constructor(options: CalculationsOptions) {
    this.#options = options;
  }

  /** All calculated items, by ID ascending. */
  list(): Promise<Item[]> {
    return this.#options.meta.items.calculated();
  }

  /** An item, calculated or not, with its inputs and its users. `not-found`. */
  async uses(id: string): Promise<ItemUses> {
    const { items } = this.#options.meta;
    const [item] = await items.byId([id]);
    if (item === undefined) throw unknownItem(id);
    const ids = (item.calculation?.inputs ?? []).map((input) => input.item);
    const [inputs, calculated] = await Promise.all([items.byId([...new Set(ids)]), items.calculated()]);
    return { item, inputs, usedBy: usersOf(calculated, id) };
  }

  /** The versions of a calculation, newest first. `not-found` when the item is not calculated. */
  async versions(id: string): Promise<CalculationVersion[]> {
    const { items, calculationVersions } = this.#options.meta;
    const [item] = await items.byId([id]);
    if ((item?.calculation ?? null) === null) throw notCalculated(id);
    return calculationVersions.ofItem(id);
  }

  /** Creates a calculated item. `invalid-params` by path; `conflict` when there are too many. */
  async create(act: Act, change: CalculatedChange): Promise<Item> {
    this.#check(change);
    const id = this.#options.ids.next();
    return this.#options.meta.write(async (tx) => {
      await this.#checkCount(tx);
      return this.#save(tx, act, id, null, change);
    });
  }

  /**
   * Creates an item under its ID as another instance has exported it, or brings the one that is there up to date: its newest
   * version must be one of the history. The first tells whether anything was changed. `invalid-params` by path; `conflict` when the
   * item there is another one, or when there are too many.
   */
  async restore(act: Act, id: string, { item: change, versions }: CalculationHistory): Promise<Restored> {
    const { limits, meta } = this.#options;
    const problems = new ProblemList();
    checkHistory(versions, limits, problems);
    problems.throwIfAny();
    const calculation = versions[versions.length - 1].calculation;
    this.#check({ item: change, calculation });
    return meta.write(async (tx) => {
      const [before = null] = await tx.items.byId([id]);
      if (before === null) await this.#checkCount(tx);
      else requireHistory(before, versions);
      await this.#checkInputs(tx, id, calculation);
      const last = before?.calculation?.version ?? 0;
      const kept = versions.filter((one) => one.calculation.version > last);
      const fresh = kept.map((one) => ({ ...one, item: id, actor: importedBy(one.actor, act.actor) }));
      const item = await this.#store(tx, act, before, { id, change, calculation, versions: fresh });
      return { item, isChanged: item !== before };
    });
  }

  /** Replaces a calculated item; its calculation gets a new version if it differs (C7). As {@link create}, and `not-found`. */
  async change(act: Act, id: string, change: CalculatedChange): Promise<Item> {
    this.#check(change);
    return this.#options.meta.write(async (tx) => {
      const before = await found(tx, id);
      return this.#save(tx, act, id, before, change);
    });
  }

  /** Deletes a calculated item with its versions. `not-found`; `conflict` while other calculated items use it. */
  async delete(act: Act, id: string): Promise<void> {
    await this.#options.meta.write(async (tx) => {
      const item = await found(tx, id);
      const users = usersOf(await tx.items.calculated(), id);
      if (users.length > 0) {
        const names = users.slice(0, 10).map((user) => `${quote(user.attributes.name)} (${user.id})`);
        throw conflict(`calculated items use it: ${names.join(', ')}`);
      }
      await tx.items.deleteCalculated(id);
      const change = changesOf(auditViewOf(item), {});
      await record(tx, act, this.#options.clock, { action: 'calculation.delete', target: id, change });
    });
  }

  async #checkCount(tx: Transaction): Promise<void> {
    const { calculatedItemsMax: max } = this.#options.limits;
    if ((await tx.items.calculated()).length >= max)
      throw conflict(`there are ${max} calculated items, which is the limit`);
  }

  #check({ item, calculation }: CalculatedChange): void {
    const problems = new ProblemList();
    if (item.name === undefined) problems.add(['item.name'], 'required');
    checkChange(item, (path, message) => problems.add(['item', path], message));
    checkChoice(calculation, this.#options.limits, problems);
    problems.throwIfAny();
  }

  async #save(
    tx: Transaction,
    act: Act,
    id: string,
    before: Item | null,
    { item: change, calculation: choice }: CalculatedChange,
  ): Promise<Item> {
    await this.#checkInputs(tx, id, choice);
    const savedAtMs = clockMs(this.#options.clock);
    const calculation = versionAfter(before?.calculation ?? null, choice);
    const isSame = calculation === before?.calculation;
    const versions = isSame ? [] : [{ item: id, calculation, actor: act.actor, savedAtMs }];
    return this.#store(tx, act, before, { id, change, calculation, versions });
  }

  /** Stores an item that was checked, and the versions that are new. */
  async #store(
    tx: Transaction,
    act: Act,
    before: Item | null,
    { id, change, calculation, versions }: Stored,
  ): Promise<Item> {
    const nowMs = clockMs(this.#options.clock);
    const sourceType = change.sourceType || 'aggregation';
    const notes = new Map([...(change.annotations ?? []), ...notesOf(calculation)]);
    const item: Item = {
      id,
      attributes: attributesOf({ ...change, sourceType, sampleIntervalUs: calculation.intervalUs }, ''),
      annotations: mergeAnnotations(before?.annotations ?? new Map(), notes),
      visible: change.visible ?? false,
      calculation,
      createdAtMs: before?.createdAtMs ?? nowMs,
      updatedAtMs: nowMs,
    };
    const changes = changesOf(before === null ? {} : auditViewOf(before), auditViewOf(item));
    if (before !== null && Object.keys(changes).length === 0) return before;
    await (before === null ? tx.items.insert([item]) : tx.items.update([item]));
    for (const version of versions) await tx.calculationVersions.insert(version);
    const last = calculation.version - this.#options.limits.calculationVersionsMax;
    if (versions.length > 0 && last > 0) await tx.calculationVersions.deleteThrough(id, last);
    await record(tx, act, this.#options.clock, { action: 'calculation.save', target: id, change: changes });
    return item;
  }

  /** The inputs exist, none of them uses the item, and nothing becomes too deep or too wide (C5). */
  async #checkInputs(tx: Transaction, id: string, { inputs }: CalculationChoice): Promise<void> {
    const items = new Map(
      (await tx.items.byId(inputs.map(({ item }) => item))).map((item) => [item.id, item]),
    );
    const problems = new ProblemList();
    const unknown = inputs.filter(({ item }) => item !== id && !items.has(item)).map(({ item }) => item);
    const described = unknown.length === 0 ? null : await describeUnknownItems(tx, unknown);
    for (const [i, { item }] of inputs.entries()) {
      const problem = described?.get(item);
      if (problem !== undefined) problems.add(['inputs', i, 'id'], problem);
    }
    problems.throwIfAny();
    const calculated = (await tx.items.calculated()).filter((other) => other.id !== id);
    const graph = new Map([...graphOf(calculated), [id, inputs.map(({ item }) => item)]]);
    this.#checkGraph(graph, id);
  }

  #checkGraph(graph: InputGraph, id: string): void {
    const { calculationLevelsMax: levelsMax, calculationItemsMax: itemsMax } = this.#options.limits;
    const cycle = cycleFrom(graph, id);
    if (cycle !== null)
      throw invalidParams({
        inputs: [`would make a cycle: ${cycle.join(' uses ')}; an item cannot use itself`],
      });
    const known = new Map<string, number>();
    for (const user of usersAbove(graph, id)) {
      const levels = levelsOf(graph, user, known);
      if (levels > levelsMax)
        throw invalidParams({
          inputs: [
            `calculated items may use others over at most ${levelsMax} levels, this would make ${levels}${ofUser(user, id)}`,
          ],
        });
      const { size } = inputsBehind(graph, user);
      if (size > itemsMax)
        throw invalidParams({
          inputs: [
            `an item may be computed from at most ${itemsMax} items at all levels, this would be ${size}${ofUser(user, id)}`,
          ],
        });
    }
  }
}

/** Which item has become too much, where it is not the one that is saved. */
function ofUser(user: string, id: string): string {
  return user === id ? '' : ` of ${user}, which uses it`;
}

/** The same object when it is the same calculation. */
function versionAfter(before: ItemCalculation | null, choice: CalculationChoice): ItemCalculation {
  if (before !== null && canonicalJson(viewOfChoice(before)) === canonicalJson(viewOfChoice(choice)))
    return before;
  const { formula, inputs, intervalUs } = choice;
  return { formula, inputs, intervalUs, version: (before?.version ?? 0) + 1 };
}

function usersOf(calculated: readonly Item[], id: string): Item[] {
  return calculated.filter(({ calculation }) => calculation?.inputs.some(({ item }) => item === id));
}

async function found(reads: Pick<MetaReads, 'items'>, id: string): Promise<Item> {
  const [item] = await reads.items.byId([id]);
  if (item === undefined) throw unknownItem(id);
  if (item.calculation === null) throw notCalculated(id);
  return item;
}

function unknownItem(id: string): AppError {
  return new AppError('not-found', `no item has the ID ${quote(id)}`);
}

function notCalculated(id: string): AppError {
  return new AppError('not-found', `the item ${quote(id)} is not calculated`);
}
