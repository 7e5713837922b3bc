/** What an item notes of the rule that made it, in annotations, which every reader of items can see (P6). */
import { hash } from 'node:crypto';
import type { Item, Signal } from '#model/signal';
import { printXid } from '#model/xid';
import { canonicalJson, type Json } from '../audit/canonical.ts';

/** The annotations. */
export const ruleNotes = {
  /** The ID of the rule. */
  rule: 'tidemark/publish/rule',
  /** What the rule made, as a hash: an item that is different was changed by a person since. */
  made: 'tidemark/publish/rule-made',
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
): ReadonlyMap<string, string> {
  return new Map([
    [ruleNotes.rule, rule],
    [ruleNotes.made, hashOfMade(made)],
    [ruleNotes.signal, signal.id],
  ]);
}

/** Bytes of a hash in an ID, and where they begin: the time is before them. */
const [idBytes, idTimeCharacters] = [12, 6];

/**
 * The ID of the item that signals with the same key join: that of the rule and the key, so that it is found by its ID, however
 * many items there are, and no two writers can make it twice. It begins as the ID of the rule, with the time.
 */
export function joinedItemId(rule: string, key: string): string {
  const bytes = hash('sha256', `${rule} ${key}`, 'buffer').subarray(0, idBytes);
  return rule.slice(0, idTimeCharacters) + printXid(bytes).slice(idTimeCharacters);
}
