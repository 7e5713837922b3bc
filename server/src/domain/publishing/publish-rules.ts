/** Publishing rules (P1): the stored rules, and their application to signals: when these are saved, in a run, and in a dry run. */
import type { Accounts, Permit } from '#load/account';
import { type Act, serviceAct } from '#model/act';
import { type Clock, clockMs, type Log } from '#model/environment';
import { AppError, conflict, invalidParams } from '#model/error';
import type { Filter, ResourceQuery } from '#model/filter';
import type { Limits } from '#model/limits';
import { quote } from '#model/problem-list';
import type { PublishRule, PublishRuleChoice } from '#model/publish-rule';
import type { Item } from '#model/signal';
import { compareText } from '#model/text';
import type { XidSource } from '#model/xid';
import type { MetaPart, MetaReads, MetaWrites } from '#storage/meta-store';
import { changesOf, record } from '../audit/record.ts';
import { changesOfPlan } from '../signals/audit-view.ts';
import { pagesById } from '../signals/pages.ts';
import { carryOut, type Plan, preview } from '../signals/plan.ts';
import { auditViewOf } from './audit-view.ts';
import { type CompiledRule, compileRule } from './compiled-rule.ts';
import { ReportBuilder, type RuleReport } from './outcome.ts';
import { nothingDecided, planRules, type RuleDecisions, type RuleWork } from './plan-rules.ts';

interface PublishRulesOptions {
  meta: MetaPart<'publishRules' | 'signals' | 'items' | 'integrations' | 'audit'>;
  clock: Clock;
  log: Log;
  ids: XidSource;
  accounts: Accounts;
  limits: Pick<Limits, 'publishRulesMax'>;
}

/** How to run the rules. */
export interface RuleRun {
  /** How many outcomes the report lists. */
  outcomesMax: number;
  /** Ends the run; what was done until then stays. */
  signal?: AbortSignal;
}

/** What a dry run supposes. */
export interface RulePreview extends RuleRun {
  /** A rule as it would be: a stored one in another form, or a new one. Only signals that it matches are looked at. */
  draft?: PublishRule;
}

/** Signals of one step: one transaction. */
const stepSignals = 500;

/** Where names and positions begin and end. */
const choiceLimits = { nameCharactersMax: 128, positionMax: 1_000_000 } as const;

/** The publishing rules of one store. */
export class PublishRules {
  readonly #options: PublishRulesOptions;

  constructor(options: PublishRulesOptions) {
    this.#options = options;
  }

  /** All rules, by position, then name. */
  async list(): Promise<PublishRule[]> {
    return sorted(await this.#options.meta.publishRules.all());
  }

  /** A rule as it would be stored, new or in the place of the one with an ID; for previews. `invalid-params`. */
  draft(choice: PublishRuleChoice, id = this.#options.ids.next()): PublishRule {
    const nowMs = clockMs(this.#options.clock);
    const draft = { ...choice, id, createdAtMs: nowMs, updatedAtMs: nowMs };
    checkChoice(draft);
    return draft;
  }

  /** Creates a rule; it applies to signals that are saved from now on (P8). `invalid-params`, `conflict`, `not-found`. */
  async create(act: Act, choice: PublishRuleChoice): Promise<PublishRule> {
    const rule = this.draft(choice);
    return this.#save(act, rule, async (tx) => {
      const max = this.#options.limits.publishRulesMax;
      if ((await tx.publishRules.all()).length >= max)
        throw conflict(`there are ${max} publishing rules, which is the limit`);
      return null;
    });
  }

  /** Changes a rule. As {@link create}. */
  change(act: Act, id: string, changed: (before: PublishRule) => PublishRuleChoice): Promise<PublishRule> {
    return this.#options.meta.write(async (tx) => {
      const before = await found(tx, id);
      const { createdAtMs } = before;
      const rule = { ...changed(before), id, createdAtMs, updatedAtMs: clockMs(this.#options.clock) };
      checkChoice(rule);
      await this.#store(tx, act, before, rule);
      return rule;
    });
  }

  /** Removes a rule; its items stay. `not-found`. */
  async delete(act: Act, id: string): Promise<void> {
    await this.#options.meta.write(async (tx) => {
      const rule = await found(tx, id);
      await tx.publishRules.delete(id);
      const change = changesOf(auditViewOf(rule), {});
      await record(tx, act, this.#options.clock, { action: 'rule.delete', target: id, change });
    });
  }

  /** What a run would do now; writes nothing (P5). */
  async preview({ draft, ...run }: RulePreview): Promise<RuleReport> {
    const stored = await this.#options.meta.publishRules.all();
    const others = draft === undefined ? stored : stored.filter(({ id }) => id !== draft.id);
    const rules = compiledRules(draft === undefined ? others : [...others, draft]);
    const scope =
      draft === undefined ? everySignal : { filter: draft.filter, integration: draft.integration };
    return this.#overAll(rules, scope, run, (work) =>
      preview(this.#options.meta, (reads) => planRules(reads, work, this.#making(), run.signal)),
    );
  }

  /** Applies the rules to all signals; each step of some signals is all or nothing. `try-again` when a plan's limit is reached. */
  async run(act: Act, run: RuleRun): Promise<RuleReport> {
    const rules = compiledRules(await this.#options.meta.publishRules.all());
    return this.#overAll(rules, everySignal, run, (work) => this.#apply(act, work, run.signal));
  }

  /** Applies the rules to signals that have just been saved (P8). Failures are logged: the signals are saved all the same. */
  async applyTo(integration: string, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    try {
      const rules = compiledRules(await this.#options.meta.publishRules.all());
      if (rules.length === 0) return;
      for (let start = 0; start < ids.length; start += stepSignals) {
        const step = ids.slice(start, start + stepSignals);
        await this.#apply(serviceAct, { rules, integration, ids: step, decided: nothingDecided });
      }
    } catch (error) {
      this.#options.log.warn('publishing rules could not be applied to saved signals', {
        integration,
        error,
      });
    }
  }

  async #save(
    act: Act,
    rule: PublishRule,
    prepare: (tx: Pick<MetaReads, 'publishRules'>) => Promise<PublishRule | null>,
  ): Promise<PublishRule> {
    return this.#options.meta.write(async (tx) => {
      await this.#store(tx, act, await prepare(tx), rule);
      return rule;
    });
  }

  async #store(
    tx: Pick<MetaWrites, 'publishRules' | 'integrations' | 'audit'>,
    act: Act,
    before: PublishRule | null,
    rule: PublishRule,
  ): Promise<void> {
    if (rule.integration !== null && (await tx.integrations.find(rule.integration)) === undefined)
      throw invalidParams({ integration: [`no integration has the ID ${quote(rule.integration)}`] });
    const same = (await tx.publishRules.all()).find(({ id, name }) => name === rule.name && id !== rule.id);
    if (same !== undefined) throw invalidParams({ name: [`there is a rule ${quote(rule.name)} already`] });
    await tx.publishRules.save(rule);
    const change = changesOf(before === null ? {} : auditViewOf(before), auditViewOf(rule));
    await record(tx, act, this.#options.clock, { action: 'rule.save', target: rule.id, change });
  }

  /** Step after step over the signals of every integration, in the order in which they were created. */
  async #overAll(
    rules: readonly CompiledRule[],
    scope: SignalScope,
    { outcomesMax, signal }: RuleRun,
    apply: (work: RuleWork) => Promise<RuleDecisions>,
  ): Promise<RuleReport> {
    const report = new ReportBuilder(outcomesMax);
    const decided = new Map<string, Item>();
    const { meta } = this.#options;
    const integrations = (await meta.integrations.all()).map(({ id }) => id).sort();
    for (const integration of integrations) {
      if (scope.integration !== null && scope.integration !== integration) continue;
      const select = (query: ResourceQuery) => meta.signals.select(query, integration, signal);
      for await (const page of pagesById({ filter: scope.filter, pageMax: stepSignals }, select)) {
        const ids = page.map(({ id }) => id);
        const { outcomes, decided: more } = await apply({ rules, integration, ids, decided });
        for (const [id, item] of more) decided.set(id, item);
        report.add(outcomes, ids.length);
      }
    }
    return report.finish();
  }

  async #apply(act: Act, work: RuleWork, signal?: AbortSignal): Promise<RuleDecisions> {
    const { meta, accounts, clock } = this.#options;
    const { integration } = work;
    let permit: Permit | null = null;
    const plan = (reads: Pick<MetaReads, 'signals' | 'items'>): Promise<Plan<RuleDecisions>> =>
      planRules(reads, work, this.#making(), signal);
    const decisions = await carryOut(meta, plan, async (tx, final) => {
      const items = final.newItems.length;
      const existing = () => tx.signals.counts(integration);
      if (items > 0) permit = await accounts.accountOf(integration).permit({ signals: 0, items }, existing);
      for (const change of await changesOfPlan(tx, final))
        await record(tx, act, clock, { action: 'rule.publish', target: integration, change });
    });
    (permit as Permit | null)?.settle();
    return decisions;
  }

  #making() {
    return { nextId: () => this.#options.ids.next(), nowMs: clockMs(this.#options.clock) };
  }
}

/** Which signals are looked at. */
interface SignalScope {
  filter: Filter;
  /** Null: of all. */
  integration: string | null;
}

const everySignal: SignalScope = { filter: { op: 'and', filters: [] }, integration: null };

function compiledRules(rules: readonly PublishRule[]): CompiledRule[] {
  return sorted(rules.filter(({ isEnabled }) => isEnabled)).map(compileRule);
}

function sorted(rules: readonly PublishRule[]): PublishRule[] {
  return [...rules].sort((a, b) => a.position - b.position || compareText(a.name, b.name));
}

async function found(tx: Pick<MetaReads, 'publishRules'>, id: string): Promise<PublishRule> {
  const rule = await tx.publishRules.find(id);
  if (rule === undefined) throw new AppError('not-found', `no publishing rule has the ID ${quote(id)}`);
  return rule;
}

function checkChoice(rule: PublishRule): void {
  const { nameCharactersMax, positionMax } = choiceLimits;
  if (rule.name.trim() === '' || rule.name.length > nameCharactersMax || !rule.name.isWellFormed())
    throw invalidParams({
      name: [`must have 1 to ${nameCharactersMax} characters, got ${quote(rule.name)}`],
    });
  if (!Number.isInteger(rule.position) || rule.position < 0 || rule.position > positionMax)
    throw invalidParams({ position: [`must be an integer from 0 to ${positionMax}, got ${rule.position}`] });
  compileRule(rule);
}
