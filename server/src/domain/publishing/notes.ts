/** What an item notes of the rule that made it, in annotations, which every reader of items can see (P6). */
import { hash } from 'node:crypto';
import type { Item, Signal } from '#model/signal';
import { canonicalJson, type Json } from '../audit/canonical.ts';

/** The annotations. */
export const ruleNotes = {
  /** The ID of the rule. */
  rule: 'tidemark/publish/rule',
  /** What the rule made, as a hash: an item that is different was changed by a person since. */
  made: 'tidemark/publish/rule-made',
  /** The key of an item that several signals join. */
  key: 'tidemark/publish/rule-key',
  /** The signal that the item has its attributes from. */
  signal: 'tidemark/publish/signal-id',
} as const;

/** The fields of an item that a rule decides. */
export type MadeFields = Pick<Item, 'attributes' | 'visible'>;

/** A hash of what rules decide of an item. */
export function hashOfMade({ attributes, visible }: MadeFields): string {
  const { labels, enumValues, ...plain } = attributes;
  const fields: Json = {
    ...plain,
    labels: Object.fromEntries([...labels].map(([key, values]) => [key, [...values]])),
    enumValues: Object.fromEntries(enumValues),
    visible,
  };
  return hash('sha256', canonicalJson(fields), 'hex');
}

/** Whether a rule made the item. */
export function isMadeByRule({ annotations }: Item): boolean {
  return annotations.has(ruleNotes.rule);
}

/** Whether an item that a rule made has been changed otherwise since. */
export function isChangedSince(item: Item): boolean {
  return item.annotations.get(ruleNotes.made) !== hashOfMade(item);
}

/** The annotations of an item that a rule makes or changes. */
export function notesOf(
  rule: string,
  made: MadeFields,
  signal: Pick<Signal, 'id'>,
  key: string | null,
): ReadonlyMap<string, string> {
  return new Map([
    [ruleNotes.rule, rule],
    [ruleNotes.made, hashOfMade(made)],
    [ruleNotes.signal, signal.id],
    [ruleNotes.key, key ?? ''],
  ]);
}
