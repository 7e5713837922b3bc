/** Works out what rules do with some signals of one integration (P4-P7): for a run and for a dry run the same. */
import { AppError } from '#model/error';
import type { PublishRule } from '#model/publish-rule';
import type { Item, Signal } from '#model/signal';
import { mergeAnnotations, sameAttributes } from '../signals/attributes.ts';
import { inTurns } from '../signals/in-turns.ts';
import { emptyPlan, type Plan, type ResourceReads } from '../signals/plan.ts';
import type { Making } from '../signals/save.ts';
import { type CompiledRule, makeOf } from './compiled-rule.ts';
import { type Matches, matchRules } from './match.ts';
import { isChangedSince, isMadeByRule, joinedItemId, type MadeFields, notesOf, ruleNotes } from './notes.ts';
import type { RuleConflict, RuleOutcome } from './outcome.ts';

/** Items as earlier parts of the same run have made them, by ID; a dry run does not find them in the store. */
export type Decided = ReadonlyMap<string, Item>;

/** Nothing yet. */
export const nothingDecided: Decided = new Map();

/** What a part of a run decides. */
export interface RuleDecisions {
  outcomes: RuleOutcome[];
  /** What it adds to what was decided before. */
  decided: Decided;
}

/** What rules are applied to. */
export interface RuleWork {
  /** Ascending by position. */
  rules: readonly CompiledRule[];
  integration: string;
  /** IDs of its signals; unknown ones are left out. */
  ids: readonly string[];
  decided: Decided;
}

/** The plan of a part of a run. */
export async function planRules(
  reads: ResourceReads,
  work: RuleWork,
  making: Making,
  signal?: AbortSignal,
): Promise<Plan<RuleDecisions>> {
  const found = await reads.signals.byId(work.ids);
  const signals = found
    .filter(({ integration }) => integration === work.integration)
    .sort((a, b) => a.number - b.number);
  const matches = await matchRules(reads, work.rules, work.integration, signals, signal);
  const choices: Choice[] = [];
  await inTurns(signals, (one) => {
    const choice = choiceOf(one, matches);
    if (choice !== null) choices.push(choice);
  });
  const planner = new RulePlanner(work.decided, making);
  await planner.load(reads, choices);
  await inTurns(choices, (choice) => planner.add(choice));
  return planner.finish();
}

/** What the rules say about one signal, before its item is looked at. */
interface Choice {
  signal: Signal;
  compiled: CompiledRule;
  made: { fields: MadeFields; key: string | null } | null;
  conflict: RuleConflict | null;
}

/** Null: no rule matches. */
function choiceOf(signal: Signal, matches: Matches): Choice | null {
  const rules = matches.get(signal.id) ?? [];
  if (rules.length === 0) return null;
  const [compiled, ...others] = rules;
  const made = makeOf(compiled, signal);
  const inConflict = (conflict: RuleConflict) => ({ signal, compiled, made: null, conflict });
  if ('problem' in made)
    return inConflict({ kind: 'invalid', message: `${compiled.rule.name}: ${made.problem}` });
  for (const other of others) {
    const difference = differenceOf(compiled, made, other, makeOf(other, signal));
    if (difference !== null) {
      const message = `the rules ${compiled.rule.name} and ${other.rule.name} have the same position and give a different ${difference}`;
      return inConflict({ kind: 'rules', message });
    }
  }
  return { signal, compiled, made, conflict: null };
}

/** The first thing in which two rules disagree about a signal; null: they agree. */
function differenceOf(
  one: CompiledRule,
  made: { fields: MadeFields; key: string | null },
  other: CompiledRule,
  otherMade: ReturnType<typeof makeOf>,
): string | null {
  if ('problem' in otherMade) return `result (${otherMade.problem})`;
  if (targetOf(one.rule, made.key) !== targetOf(other.rule, otherMade.key)) return 'item to join';
  if (one.rule.overwrite !== other.rule.overwrite) return 'overwrite';
  const [a, b] = [made.fields, otherMade.fields];
  if (a.visible !== b.visible) return 'visible';
  if (sameAttributes(a.attributes, b.attributes)) return null;
  const fields = ['name', 'description', 'engUnit'] as const;
  return fields.find((field) => a.attributes[field] !== b.attributes[field]) ?? 'labels or states';
}

/** The ID of the item that a signal joins; null: it has an item of its own. */
function targetOf({ id, joins }: PublishRule, key: string | null): string | null {
  if (joins?.kind === 'item') return joins.item;
  return key === null ? null : joinedItemId(id, key);
}

/** Decides signal after signal, each in view of those before. */
class RulePlanner {
  readonly #making: Making;
  readonly #plan = emptyPlan<RuleOutcome[]>([]);
  readonly #items = new Map<string, Item>();
  readonly #before: Decided;
  readonly #decided = new Map<string, Item>();
  readonly #changed = new Set<string>();

  constructor(decided: Decided, making: Making) {
    this.#making = making;
    this.#before = decided;
  }

  /** Reads the items that the choices are about. */
  async load(reads: ResourceReads, choices: readonly Choice[]): Promise<void> {
    const ids = new Set<string>();
    for (const { signal, compiled, made } of choices) {
      if (signal.item !== null) ids.add(signal.item);
      const target = made && targetOf(compiled.rule, made.key);
      if (target !== null) ids.add(target);
    }
    if (ids.size > 0) for (const item of await reads.items.byId([...ids])) this.#items.set(item.id, item);
  }

  add(choice: Choice): void {
    this.#plan.result.push(this.#decide(choice));
  }

  #decide(choice: Choice): RuleOutcome {
    const { signal, made, conflict } = choice;
    const current = signal.item === null ? undefined : this.#itemOf(signal.item);
    if (conflict !== null || made === null) return outcomeOf(choice, 'conflict', current ?? null, conflict);
    const { rule } = choice.compiled;
    const { joins: join, overwrite } = rule;
    const joined = targetOf(rule, made.key);
    const target = joined === null ? current : this.#itemOf(joined);
    if (join?.kind === 'item' && target === undefined)
      return refused(choice, current, 'missing', `there is no item ${join.item} to join`);
    if (join?.kind === 'item' && target?.calculation != null)
      return refused(
        choice,
        current,
        'missing',
        `the item ${join.item} is calculated: no signal can join it`,
      );
    if (current !== undefined && target?.id !== current.id && !overwrite)
      return refused(choice, current, 'connected', `the signal feeds the item ${current.id} already`);
    if (target === undefined) return this.#create(choice, made);
    if (target.id !== signal.item) return this.#connect(choice, target);
    if (join?.kind === 'item') return outcomeOf(choice, 'keep', target, null);
    return this.#update(choice, made, target);
  }

  #itemOf(id: string): Item | undefined {
    return this.#decided.get(id) ?? this.#before.get(id) ?? this.#items.get(id);
  }

  #create(choice: Choice, made: { fields: MadeFields; key: string | null }): RuleOutcome {
    const { nextId, nowMs } = this.#making;
    const { signal, compiled } = choice;
    const notes = notesOf(compiled.rule.id, made.fields, signal);
    const annotations = mergeAnnotations(new Map(), notes);
    const joined = targetOf(compiled.rule, made.key);
    const id = joined ?? nextId();
    const dates = { createdAtMs: nowMs, updatedAtMs: nowMs };
    const item: Item = { id, ...made.fields, annotations, calculation: null, ...dates };
    this.#plan.newItems.push(item);
    this.#items.set(id, item);
    if (joined !== null) this.#decided.set(id, item);
    this.#plan.changedSignals.push({ ...signal, item: item.id, updatedAtMs: nowMs });
    return outcomeOf(choice, 'create', item, null);
  }

  #connect(choice: Choice, item: Item): RuleOutcome {
    this.#plan.changedSignals.push({ ...choice.signal, item: item.id, updatedAtMs: this.#making.nowMs });
    return outcomeOf(choice, 'connect', item, null);
  }

  #update(choice: Choice, made: { fields: MadeFields; key: string | null }, item: Item): RuleOutcome {
    const { rule } = choice.compiled;
    const source = item.annotations.get(ruleNotes.signal);
    const isMade = isMadeByRule(item);
    if (isMade && source !== undefined && source !== choice.signal.id) {
      if (rule.joins !== null) return outcomeOf(choice, 'keep', item, null);
      return refused(choice, item, 'connected', `the item ${item.id} is made from the signal ${source}`);
    }
    if (isSame(item, made.fields)) return outcomeOf(choice, 'keep', item, null);
    if (!rule.overwrite && !isMade)
      return refused(choice, item, 'foreign', `no rule made the item ${item.id}`);
    if (!rule.overwrite && isChangedSince(item))
      return refused(choice, item, 'edited', `the item ${item.id} was changed since a rule made it`);
    return this.#replace(choice, made, item);
  }

  #replace(choice: Choice, made: { fields: MadeFields; key: string | null }, item: Item): RuleOutcome {
    const notes = notesOf(choice.compiled.rule.id, made.fields, choice.signal);
    try {
      const annotations = mergeAnnotations(item.annotations, notes);
      const after = { ...item, ...made.fields, annotations, updatedAtMs: this.#making.nowMs };
      this.#items.set(item.id, after);
      this.#changed.add(item.id);
      if (item.annotations.get(ruleNotes.signal) !== choice.signal.id) this.#decided.set(item.id, after);
      return outcomeOf(choice, 'update', after, null);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return refused(choice, item, 'invalid', error.message);
    }
  }

  finish(): Plan<RuleDecisions> {
    const changed = [...this.#changed].map((id) => this.#items.get(id)!);
    this.#plan.changedItems.push(...changed);
    return { ...this.#plan, result: { outcomes: this.#plan.result, decided: this.#decided } };
  }
}

function isSame(item: Item, { attributes, visible }: MadeFields): boolean {
  return item.visible === visible && sameAttributes(item.attributes, attributes);
}

function refused(
  choice: Choice,
  item: Item | undefined,
  kind: RuleConflict['kind'],
  message: string,
): RuleOutcome {
  const words = `${choice.compiled.rule.name}: ${message}`;
  return outcomeOf(choice, 'conflict', item ?? null, { kind, message: words });
}

function outcomeOf(
  { signal, compiled }: Choice,
  action: RuleOutcome['action'],
  item: Item | null,
  conflict: RuleConflict | null,
): RuleOutcome {
  return { signal, rule: compiled.rule.id, action, item, conflict };
}
