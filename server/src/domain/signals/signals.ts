/** Signals and items: what saving, publishing, connecting and annotating mean (R8-R11), and the numbers that ingest needs. */
import { type Accounts, type Permit, unmetered } from '#load/account';
import type { Act } from '#model/act';
import type { Ending } from '#model/ending';
import { type Clock, clockMs } from '#model/environment';
import { invalidParams } from '#model/error';
import type { ResourceQuery } from '#model/filter';
import { type Limits, limitDefaults } from '#model/limits';
import { ProblemList } from '#model/problem-list';
import type { Item, Signal } from '#model/signal';
import { compareText } from '#model/text';
import type { XidSource } from '#model/xid';
import type { MetaPart, MetaWrites, Selected } from '#storage/meta-store';

import { record } from '../audit/record.ts';
import { checkAnnotations, checkChange, inputPattern, type Report } from './attributes.ts';
import { changesOfPlan } from './audit-view.ts';
import type { ItemChange, Saved, SignalChange } from './change.ts';
import { checkEdit, type EditOutcome, planItemEdit, planSignalEdit, type ResourceEdit } from './edit.ts';
import { inTurns, type StepRunner } from './in-turns.ts';
import { LookingUp } from './looking-up.ts';
import { NumberCache, type SignalNumber } from './number-cache.ts';
import { carryOut, type Plan, preview, type ResourceReads, writesNothing } from './plan.ts';
import { planPublish } from './publish.ts';
import { type Annotating, planAnnotations, planConnection } from './relate.ts';
import { type Making, planSave } from './save.ts';
import { type SavedSignals, type Saving, saveInPieces } from './save-in-pieces.ts';

/** How to save. */
interface SaveOptions {
  /** Leave what exists untouched; it is listed with `created` and `updated` false. */
  createOnly: boolean;
  /** What the caller found wrong already; thrown together with what is found here. */
  problems?: ProblemList;
  /** Runs the checks in steps. */
  runner?: StepRunner;
}

/** How to change a selection of signals (R11). */
interface ChangeOptions {
  /** Write nothing; answer with what would be. */
  dryRun: boolean;
}

interface SignalsOptions {
  meta: MetaPart<'signals' | 'items' | 'integrations' | 'audit'>;
  clock: Clock;
  ids: XidSource;
  /** Default: nothing is limited. */
  accounts?: Accounts;
  /** Applied to signals that are saved; default: none. */
  publishRules?: Publishing;
  /** Looked at each time; default: those without configuration. */
  limits?: Pick<Limits, 'signalsPerCallMax'>;
  /** How many input keys are remembered for ingest. Default 200,000 (about 200 bytes each). */
  numbersMax?: number;
}

/** What is done with signals that have been saved (P8). */
interface Publishing {
  applyTo(integration: string, ids: readonly string[]): Promise<void>;
}

/** How the audit names a change. */
interface Audited {
  act: Act;
  action: string;
}

/** Signals and items of every integration. */
export class Signals {
  readonly #options: SignalsOptions;
  readonly #accounts: Accounts;
  readonly #limits: Pick<Limits, 'signalsPerCallMax'>;
  readonly #numbers: NumberCache;
  readonly #lookingUp = new LookingUp();
  readonly #unsubscribe: () => void;

  constructor(options: SignalsOptions) {
    this.#options = options;
    this.#accounts = options.accounts ?? { accountOf: () => unmetered };
    this.#limits = options.limits ?? limitDefaults;
    this.#numbers = new NumberCache(options.numbersMax ?? 200_000);
    this.#unsubscribe = this.#options.meta.subscribe((topic) => {
      if (topic === 'identity') this.#forgetDeleted();
    });
  }

  /** Creates or replaces signals by input key (R8); the answer has every key, in order. `invalid-params` under `signalsByInput.<key>`; `try-again` when a limit of the plan is reached. */
  async save(
    integration: string,
    changes: ReadonlyMap<string, SignalChange>,
    options: SaveOptions,
  ): Promise<Map<string, Saved>> {
    await refuseEach('signalsByInput', changes, options, ([input, change], report) => {
      checkInput(input, report);
      checkChange(change, below(input, report));
    });
    const { createOnly } = options;
    const before = await planSave(this.#options.meta, integration, changes, createOnly, this.#making());
    const all = before.result;
    if (writesNothing(before)) return all;
    const writing = new Map(changes.entries().filter(([input]) => isWritten(all.get(input))));
    const newCount = before.newSignals.length;
    const { saved } = await this.#saveInPieces({ integration, createOnly, newCount }, writing);
    for (const [input, outcome] of saved) all.set(input, outcome);
    return all;
  }

  /** Creates or replaces the items of signals, by signal ID (R10); the answer has every ID, in order. `invalid-params` under `itemsBySignal.<id>`; `try-again` when a limit of the plan is reached. */
  async publish(
    act: Act,
    integration: string,
    changes: ReadonlyMap<string, ItemChange>,
    options: SaveOptions,
  ): Promise<Map<string, Saved>> {
    await refuseEach('itemsBySignal', changes, options, ([id, change], report) =>
      checkChange(change, below(id, report)),
    );
    return this.#carryOut(integration, { act, action: 'signals.publish' }, (reads) =>
      planPublish(reads, integration, changes, options.createOnly, this.#making()),
    );
  }

  /** Lets the selected signals of an integration feed `item`, or none when it is null; the signals as they are afterwards, in the query's order (R11). `invalid-params` at `item` when there is no such item. */
  connect(
    act: Act,
    integration: string,
    query: ResourceQuery,
    item: string | null,
    options: ChangeOptions,
  ): Promise<Selected<Signal>> {
    const action = item === null ? 'signals.disconnect' : 'signals.connect';
    return this.#change(integration, { act, action }, options, (reads) =>
      planConnection(reads, integration, query, item, this.#making().nowMs),
    );
  }

  /** Changes some fields of the selected signals of an integration, as a person does (R8a); each as it was and as it is, in the query's order. `invalid-params` under `change`. */
  async editSignals(
    act: Act,
    integration: string,
    query: ResourceQuery,
    edit: ResourceEdit,
    options: ChangeOptions,
  ): Promise<EditOutcome<Signal>> {
    refuse('change', (report) => checkEdit(edit, report));
    return this.#change(integration, { act, action: 'signals.edit' }, options, (reads) =>
      planSignalEdit(reads, integration, query, edit, this.#making().nowMs),
    );
  }

  /** As {@link editSignals}, for items: those of every integration, and those that no signal feeds. */
  async editItems(
    act: Act,
    query: ResourceQuery,
    edit: ResourceEdit,
    options: ChangeOptions,
  ): Promise<EditOutcome<Item>> {
    refuse('change', (report) => checkEdit(edit, report));
    return this.#change('items', { act, action: 'items.edit' }, options, (reads) =>
      planItemEdit(reads, query, edit, this.#making().nowMs),
    );
  }

  /** Merges annotations into signals by ID (R11); the signals as they are afterwards, in the order given. `invalid-params` under `data.<index>`. */
  async annotate(
    act: Act,
    integration: string,
    changes: readonly Annotating[],
    options: ChangeOptions,
  ): Promise<Selected<Signal>> {
    refuse('data', (report) => {
      for (const [i, { annotations }] of changes.entries())
        checkAnnotations(annotations, `${i}.annotations`, report);
    });
    return this.#change(integration, { act, action: 'signals.annotate' }, options, (reads) =>
      planAnnotations(reads, integration, changes, this.#making().nowMs),
    );
  }

  /** Signals of one integration, or of all when it is null (R13). `ending` ends it early, with its reason. */
  selectSignals(
    query: ResourceQuery,
    integration: string | null,
    ending?: Ending,
  ): Promise<Selected<Signal>> {
    return this.#options.meta.signals.select(query, integration, ending);
  }

  /** Items (R13). `ending` ends it early, with its reason. */
  selectItems(query: ResourceQuery, ending?: Ending): Promise<Selected<Item>> {
    return this.#options.meta.items.select(query, ending);
  }

  /** Items by ID, ascending by ID; unknown ones are left out. For `included` (R12). */
  async itemsById(ids: readonly string[]): Promise<Item[]> {
    if (ids.length === 0) return [];
    return (await this.#options.meta.items.byId(ids)).sort((a, b) => compareText(a.id, b.id));
  }

  /** Signals by ID, in no order; unknown ones are left out. */
  signalsById(ids: readonly string[]): Promise<Signal[]> {
    return this.#options.meta.signals.byId(ids);
  }

  /** The numbers of these input keys in their order, when all are remembered; else null: ask {@link numbers}. For the hot path. */
  cachedNumbers(integration: string, inputs: readonly string[]): readonly SignalNumber[] | null {
    return this.#numbers.find(integration, inputs);
  }

  /** The numbers of these input keys (distinct) in their order; unknown ones become signals as `describe` says, by default named by their key (R9). `invalid-params` under `data.series.<key>`. */
  async numbers(
    integration: string,
    inputs: readonly string[],
    describe: (input: string) => SignalChange = () => ({}),
  ): Promise<readonly (SignalNumber & { created?: boolean })[]> {
    const max = this.#limits.signalsPerCallMax;
    if (inputs.length > max)
      throw invalidParams({ 'data.series': [`must have at most ${max} signals, got ${inputs.length}`] });
    await refuseEach('data.series', inputs, {}, checkInput);
    return this.#lookingUp.run(
      inputs.map((input) => `${integration} ${input}`),
      () => this.#numbers.find(integration, inputs),
      () => this.#findNumbers(integration, inputs, describe),
    );
  }

  async #findNumbers(
    integration: string,
    inputs: readonly string[],
    describe: (input: string) => SignalChange,
  ): Promise<readonly (SignalNumber & { created?: boolean })[]> {
    const found = await this.#stored(integration, inputs);
    const missing = inputs.filter((input) => !found.has(input));
    const changes = new Map(missing.map((input) => [input, describe(input)]));
    const saving = { integration, createOnly: true, newCount: missing.length };
    const { created } = await this.#saveInPieces(saving, changes);
    const isNew = new Set(created.map(({ input }) => input));
    for (const signal of created) found.set(signal.input, signal);
    const savedByOthers = missing.filter((input) => !isNew.has(input));
    for (const [input, signal] of await this.#stored(integration, savedByOthers)) found.set(input, signal);
    return inputs.map((input) => {
      const { id, number } = found.get(input) as Signal;
      this.#numbers.remember(integration, input, { id, number });
      return { id, number, created: isNew.has(input) };
    });
  }

  /** Input key → name of a state → its number, of those of these input keys that are signals with states; of equal names the first. */
  async states(
    integration: string,
    inputs: readonly string[],
  ): Promise<Map<string, ReadonlyMap<string, number>>> {
    const states = new Map<string, ReadonlyMap<string, number>>();
    const max = this.#limits.signalsPerCallMax;
    for (let from = 0; from < inputs.length; from += max) {
      const signals = await this.#options.meta.signals.byInput(integration, inputs.slice(from, from + max));
      for (const { input, attributes } of signals) {
        if (attributes.valueType === 'enum') states.set(input, statesByName(attributes.enumValues));
      }
    }
    return states;
  }

  /** Ends following the store's changes. */
  close(): void {
    this.#unsubscribe();
  }

  async #stored(integration: string, inputs: readonly string[]): Promise<Map<string, Signal>> {
    if (inputs.length === 0) return new Map();
    const signals = await this.#options.meta.signals.byInput(integration, inputs);
    return new Map(signals.map((signal) => [signal.input, signal]));
  }

  #saveInPieces(
    saving: Pick<Saving, 'integration' | 'createOnly' | 'newCount'>,
    changes: ReadonlyMap<string, SignalChange>,
  ): Promise<SavedSignals> {
    const { meta, publishRules } = this.#options;
    const { integration } = saving;
    return saveInPieces(
      {
        ...saving,
        meta,
        isLimited: this.#accounts.accountOf(integration).limitsSignals,
        making: () => this.#making(),
        permit: (tx, count) => this.#permit(tx, integration, count, 0),
        written: async (ids) => publishRules?.applyTo(integration, ids),
      },
      changes,
    );
  }

  /** `owner`: the integration, by which the audit has it and whose plan counts; of items, which have none, the word. */
  #change<R>(
    owner: string,
    audited: Audited,
    { dryRun }: ChangeOptions,
    plan: (reads: ResourceReads) => Promise<Plan<R>>,
  ): Promise<R> {
    return dryRun ? preview(this.#options.meta, plan) : this.#carryOut(owner, audited, plan);
  }

  /** Carries out changes within the limits of the integration's plan, and records it unless it is about data only (null). */
  async #carryOut<R>(
    integration: string,
    audited: Audited | null,
    plan: (reads: ResourceReads) => Promise<Plan<R>>,
  ): Promise<R> {
    let permit: Permit | null = null;
    const result = await carryOut(this.#options.meta, plan, async (tx, final) => {
      permit = await this.#permit(tx, integration, final.newSignals.length, final.newItems.length);
      if (audited !== null) await this.#record(tx, integration, audited, final);
    });
    (permit as Permit | null)?.settle();
    return result;
  }

  async #permit(
    tx: ResourceReads,
    integration: string,
    signals: number,
    items: number,
  ): Promise<Permit | null> {
    if (signals + items === 0) return null;
    const existing = () => tx.signals.counts(integration);
    return this.#accounts.accountOf(integration).permit({ signals, items }, existing);
  }

  async #record(
    tx: ResourceReads & Pick<MetaWrites, 'audit'>,
    integration: string,
    { act, action }: Audited,
    plan: Plan<unknown>,
  ): Promise<void> {
    for (const change of await changesOfPlan(tx, plan)) {
      await record(tx, act, this.#options.clock, { action, target: integration, change });
    }
  }

  #making(): Making {
    return { nextId: () => this.#options.ids.next(), nowMs: clockMs(this.#options.clock) };
  }

  /** Numbers only end with their integration; a failure to look leaves entries that no caller can reach any more. */
  #forgetDeleted(): void {
    this.#options.meta.integrations.all().then(
      (integrations) => this.#numbers.keepOnly(new Set(integrations.map(({ id }) => id))),
      () => undefined,
    );
  }
}

function checkInput(input: string, report: Report): void {
  if (!inputPattern.test(input)) report(input, `the input key must match ${inputPattern.source}`);
}

function statesByName(enumValues: ReadonlyMap<string, string>): Map<string, number> {
  const byName = new Map<string, number>();
  for (const [number, name] of enumValues) byName.getOrInsert(name, Number(number));
  return byName;
}

function isWritten(saved: Saved | undefined): boolean {
  return saved !== undefined && (saved.created || saved.updated);
}

function below(key: string, report: Report): Report {
  return (path, message) => report(`${key}.${path}`, message);
}

/** Throws `invalid-params` when the check reports anything. */
function refuse(at: string, check: (report: Report) => void): void {
  const problems = new ProblemList();
  check((path, message) => problems.add([at, path], message));
  problems.throwIfAny();
}

/** The same for each element of a long list, in steps; `options.problems` is what was wrong before. */
async function refuseEach<T>(
  at: string,
  elements: Iterable<T>,
  options: Pick<SaveOptions, 'problems' | 'runner'>,
  check: (element: T, report: Report) => void,
): Promise<void> {
  const problems = options.problems ?? new ProblemList();
  const report: Report = (path, message) => problems.add([at, path], message);
  await inTurns(elements, (element) => check(element, report), options.runner);
  problems.throwIfAny();
}
