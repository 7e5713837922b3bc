/** The flags of `tidemark plan` that say what a plan limits, and how they are read. */
import { Option } from 'commander';
import type { Plan, Rate } from '#model/plan';
import type { Call } from './command.ts';
import { methodName } from './method-names.ts';
import { UsageError } from './usage.ts';

/** The flags; on `plan set` those that are left out leave things as they are. */
export function planOptions(): Option[] {
  return [
    new Option('--signals <N>', 'signals of an integration, or "unlimited"'),
    new Option('--items <N>', 'items that its signals feed, or "unlimited"'),
    new Option('--points-per-day <N>', 'points that it inserts in a UTC day, or "unlimited"'),
    new Option(
      '--rate <METHOD=N/UNIT>',
      'how often it calls a method: 10/s, 600/min or 1000/h, with ",burst=N" for more at once, or "unlimited"; may be repeated',
    ).argParser((text: string, previous: string[] | undefined) => [...(previous ?? []), text]),
    new Option('--hard', 'refuse what is above a limit (default)').conflicts('soft'),
    new Option('--soft', 'allow what is above a limit, and meter it'),
  ];
}

/** What the flags say, as a change of any plan. `UsageError` where one cannot be read. */
export async function readPlanOptions({
  options,
  config,
}: Pick<Call, 'options' | 'config'>): Promise<(before: Plan) => Plan> {
  const signalsMax = readCount('--signals', options.signals);
  const itemsMax = readCount('--items', options.items);
  const pointsPerDayMax = readCount('--points-per-day', options.pointsPerDay);
  const texts = (options.rate as string[] | undefined) ?? [];
  const rates = await Promise.all(texts.map((text) => readRate(text, config.settings.namespace)));
  const isHard = options.soft === true ? false : options.hard === true ? true : undefined;
  return (before) => ({
    ...before,
    signalsMax: signalsMax === undefined ? before.signalsMax : signalsMax,
    itemsMax: itemsMax === undefined ? before.itemsMax : itemsMax,
    pointsPerDayMax: pointsPerDayMax === undefined ? before.pointsPerDayMax : pointsPerDayMax,
    rates: withRates(before.rates, rates),
    isHard: isHard ?? before.isHard,
  });
}

/** A rate for a method, or none. */
interface RateChange {
  method: string;
  rate: Rate | null;
}

function withRates(before: Plan['rates'], changes: readonly RateChange[]): Plan['rates'] {
  const rates = new Map(before);
  for (const { method, rate } of changes) {
    if (rate === null) rates.delete(method);
    else rates.set(method, rate);
  }
  return rates;
}

const unlimited = 'unlimited';

/** Null: without limit; undefined: not said. */
function readCount(flag: string, text: unknown): number | null | undefined {
  if (text === undefined) return undefined;
  if (text === unlimited) return null;
  if (typeof text === 'string' && /^\d{1,15}$/.test(text)) return Number(text);
  throw new UsageError(`${flag} must be a whole number or "unlimited", got ${JSON.stringify(text)}`);
}

const rateForm = /^(\d+(?:\.\d+)?)\/(s|min|h)(?:,burst=(\d{1,7}))?$/;

const secondsOf: Readonly<Record<string, number>> = { s: 1, min: 60, h: 3600 };

/** `integration.insert=10/s,burst=50`; without a burst as many at once as the unit allows. */
async function readRate(text: string, namespaces: readonly string[]): Promise<RateChange> {
  const at = text.indexOf('=');
  const value = text.slice(at + 1);
  const match = rateForm.exec(value);
  if (at < 1 || (match === null && value !== unlimited)) {
    const example = 'METHOD=N/s, for example integration.insert=10/s,burst=50';
    throw new UsageError(`--rate must be ${example}, got ${JSON.stringify(text)}`);
  }
  const method = await methodName(text.slice(0, at), namespaces);
  if (match === null) return { method, rate: null };
  const [, count, unit, burst] = match;
  const perSecond = Number(count) / secondsOf[unit];
  return {
    method,
    rate: { perSecond, burst: burst === undefined ? Math.ceil(Number(count)) : Number(burst) },
  };
}
