/** What publishing rules do with signals (P5): one outcome for each signal that a rule matches, and the report of a run. */
import type { Item, Signal } from '#model/signal';
import type { MadeFields } from './notes.ts';

/** What happens to a signal. `keep`: nothing, its item is as the rule says. */
export const ruleActions = ['create', 'update', 'connect', 'keep', 'conflict'] as const;

/** One of {@link ruleActions}. */
export type RuleAction = (typeof ruleActions)[number];

/**
 * Why a rule does not do what it says (P7): `rules`: two rules of one position disagree; `edited`: a person changed the item;
 * `foreign`: no rule made the item; `connected`: the signal feeds another item; `missing`: there is no item to join; `invalid`:
 * what the templates give is no valid item.
 */
export const conflictKinds = ['rules', 'edited', 'foreign', 'connected', 'missing', 'invalid'] as const;

/** A conflict, which an administrator has to decide. */
export interface RuleConflict {
  kind: (typeof conflictKinds)[number];
  /** In words, with the values. */
  message: string;
}

/** What the rules do with one signal. */
export interface RuleOutcome {
  signal: Pick<Signal, 'id' | 'integration' | 'input' | 'attributes'>;
  /** The ID of the rule that decides; of a conflict between rules the first. */
  rule: string;
  action: RuleAction;
  /** The item as it is afterwards; of a conflict, as it is. Null: there is none, or it cannot be made. */
  item: Pick<Item, 'id' | keyof MadeFields> | null;
  /** Null: there is none. */
  conflict: RuleConflict | null;
}

/** The report of a run or a dry run. */
export interface RuleReport {
  /** Signals by action. */
  counts: Readonly<Record<RuleAction, number>>;
  /** Signals that no rule matches. */
  unmatched: number;
  /** The first of them, conflicts before others; at most as many as were asked for. */
  outcomes: readonly RuleOutcome[];
}

/** Collects a report in bounded memory. */
export class ReportBuilder {
  readonly #max: number;
  readonly #counts = Object.fromEntries(ruleActions.map((action) => [action, 0])) as Record<
    RuleAction,
    number
  >;
  readonly #conflicts: RuleOutcome[] = [];
  readonly #changes: RuleOutcome[] = [];
  readonly #kept: RuleOutcome[] = [];
  #unmatched = 0;

  /** Keeps at most `max` outcomes. */
  constructor(max: number) {
    this.#max = max;
  }

  /** Adds the outcomes of so many signals. */
  add(outcomes: readonly RuleOutcome[], signals: number): void {
    this.#unmatched += signals - outcomes.length;
    for (const outcome of outcomes) {
      this.#counts[outcome.action]++;
      const { action } = outcome;
      const list = action === 'conflict' ? this.#conflicts : action === 'keep' ? this.#kept : this.#changes;
      if (list.length < this.#max) list.push(outcome);
    }
  }

  /** The report. */
  finish(): RuleReport {
    const outcomes = [...this.#conflicts, ...this.#changes, ...this.#kept].slice(0, this.#max);
    return { counts: this.#counts, unmatched: this.#unmatched, outcomes };
  }
}
