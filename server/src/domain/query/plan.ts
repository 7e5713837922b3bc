/** What is decided about an answer with a rollup before its points are read. */
import type { Reach } from '#domain/formula/formula';
import type { BucketRule } from '#model/bucket';
import { bug } from '#model/error';
import type { Rollup, Statistic } from '#model/rollup';
import type { Steps } from '#model/steps';
import type { FedItem } from '#storage/meta-store';
import type { AnswerShape } from './cost.ts';
import type { Piece } from './pieces.ts';

/** Series key → values, all of one length. */
export type Columns = ReadonlyMap<string, Float64Array>;

/** What is read of one item. */
export interface ItemSource {
  item: FedItem;
  statistics: readonly Statistic[];
  states: readonly number[] | 'seen';
  /** Buckets around a piece that are read of this item. */
  reach: Reach;
}

/** The plan of an answer; built and checked once. */
export interface Plan {
  shape: AnswerShape;
  /** How the window is cut into buckets. */
  rule: BucketRule;
  /** What is read: each item once, whatever many series it is in. */
  sources: readonly ItemSource[];
  /** Buckets around a piece that are read of some item. */
  reach: Reach;
  /** Buckets that are computed at one time. */
  bucketsAtOnce: number;
  /** Memory that computing takes. */
  bytes: number;
  /** The series that are known before reading: all of them, except for states that are only seen then. */
  keys: readonly string[];
  /** The series of one piece; `rollups` are those of the sources, over `piece.buckets`. */
  compute(piece: Piece, rollups: readonly Rollup[]): Steps<Columns>;
  /** Puts the keys of all pieces in the order of the answer. */
  inOrder(keys: readonly string[]): readonly string[];
}

/** Reads nothing around the window. */
export const noReach: Reach = { back: 0, ahead: 0 };

/** What covers both. */
export function widest(one: Reach, other: Reach): Reach {
  return { back: Math.max(one.back, other.back), ahead: Math.max(one.ahead, other.ahead) };
}

/** The rule of an answer that has a rollup. */
export function ruleOf({ rule }: AnswerShape): BucketRule {
  return rule ?? bug('raw data has no buckets');
}
