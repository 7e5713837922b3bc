/** Plans: named sets of limits that integrations are assigned to (L4). */

/** The rate limit of a method: a token bucket. */
export interface Rate {
  /** Calls a second that are refilled; above 0. */
  perSecond: number;
  /** Calls that may come at once after a pause; at least 1. */
  burst: number;
}

/** A named set of limits. */
export interface Plan {
  /** Lower-case letters, digits, `-`, `_` and `.`; 1 to 64 of them. */
  name: string;
  /** Signals of an integration; null: without limit. */
  signalsMax: number | null;
  /** Items that the signals of an integration feed; null: without limit. */
  itemsMax: number | null;
  /** Points that an integration may insert in one UTC day; null: without limit. */
  pointsPerDayMax: number | null;
  /** Method name (primary namespace) → rate; methods that are not listed are not limited. */
  rates: ReadonlyMap<string, Rate>;
  /** Whether calls above a limit are rejected; otherwise they are allowed and metered as overage. */
  isHard: boolean;
}

/** Signals of an integration, and items that they feed. */
export interface ResourceCounts {
  signals: number;
  items: number;
}

/** The plan of integrations that are assigned to no other; it always exists and is unlimited unless changed. */
export const defaultPlanName = 'default';

/** A plan without any limit. */
export function unlimitedPlan(name: string): Plan {
  return { name, signalsMax: null, itemsMax: null, pointsPerDayMax: null, rates: new Map(), isHard: true };
}

/** A rate as text: `10/s,burst=50`; per minute or hour where that gives a rounder number. */
export function printRate({ perSecond, burst }: Rate): string {
  const units = [
    [1, 's'],
    [60, 'min'],
    [3600, 'h'],
  ] as const;
  const [seconds, unit] = units.find(([seconds]) => isWhole(perSecond * seconds)) ?? units[0];
  return `${Number((perSecond * seconds).toPrecision(6))}/${unit},burst=${burst}`;
}

function isWhole(count: number): boolean {
  return Math.abs(count - Math.round(count)) < 1e-6 && count > 0.5;
}
