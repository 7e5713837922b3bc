/** Publishing rules: which signals become items, and how (P1). */
import type { Filter } from './filter.ts';

/** Texts by name, in order; any text may be a key. */
export type Entries<Value> = readonly (readonly [string, Value])[];

/** How an item is made of a signal. What is null is taken from the signal as it is. */
export interface ItemTemplate {
  /** A template (P3). */
  name: string;
  /** A template, or null. */
  description: string | null;
  /** A template, or null. */
  engUnit: string | null;
  visible: boolean;
  /** Whether the item has the labels of the signal, too. */
  copyLabels: boolean;
  /** Label → template of its values; null: the item does not have this label. */
  labels: Entries<string | null>;
  /** The texts of its states, or null. */
  enumValues: Entries<string> | null;
}

/**
 * Which item a signal joins: null: an item of its own; `key`: signals for which this template gives the same text share an
 * item; `item`: the item with this ID, which the rule does not change.
 */
export type RuleJoin = null | { kind: 'key'; key: string } | { kind: 'item'; item: string };

/** What an administrator decides of a rule. */
export interface PublishRuleChoice {
  /** Unique. */
  name: string;
  /** A rule with a lower position takes precedence. */
  position: number;
  isEnabled: boolean;
  /** Only signals of this integration; null: of all. */
  integration: string | null;
  /** Which signals. */
  filter: Filter;
  /** The filter as the administrator wrote it: JSON text of a filter of R14. */
  filterText: string;
  item: ItemTemplate;
  /** Value map → its entries, for the step `map` of templates. */
  maps: Entries<Entries<string>>;
  joins: RuleJoin;
  /** Whether items that a person made or changed are replaced. */
  overwrite: boolean;
}

/** A stored rule. */
export interface PublishRule extends PublishRuleChoice {
  id: string;
  createdAtMs: number;
  updatedAtMs: number;
}
