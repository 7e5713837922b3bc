/** The options of `tidemark plan` for the limits of a plan. */
import { Option } from 'commander';
import type { Plan, Rate } from '#model/plan';
import type { Call } from './command.ts';
import { methodName } from './method-names.ts';
import { collect } from './options.ts';
import { UsageError } from './usage.ts';

/** The options; those that `plan set` does not get leave the plan unchanged. */
export const planOptions = [
  new Option('--signals <N>', 'maximum number of its signals, or "unlimited"'),
  new Option('--items <N>', 'maximum number of items that its signals feed, or "unlimited"'),
  new Option('--points-per-day <N>', 'maximum number of points that it inserts in a UTC day, or "unlimited"'),
  new Option(
    '--rate <METHOD=N/UNIT>',
    'maximum rate of calls of a method: 10/s, 600/min or 1000/h, with ",burst=N" for more at once, or "unlimited"; may be repeated',
  ).argParser(collect),
  new Option('--hard', 'reject calls above a limit (default)').conflicts('soft'),
  new Option('--soft', 'allow and meter calls above a limit'),
];

/** Reads the options as a change of any plan. Throws {@link UsageError}. */
export async function readPlanOptions({
  options,
  config,
}: Pick<Call, 'options' | 'config'>): Promise<(before: Plan) => Plan> {
  const counts = {
    signalsMax: readCount('--signals', options.signals),
    itemsMax: readCount('--items', options.items),
    pointsPerDayMax: readCount('--points-per-day', options.pointsPerDay),
  };
  const given = Object.fromEntries(Object.entries(counts).filter(([, max]) => max !== undefined));
  const texts = (options.rate as string[] | undefined) ?? [];
  const rates = await Promise.all(texts.map((text) => readRate(text, config.settings.namespace)));
  const mode = options.soft === true ? { isHard: false } : options.hard === true ? { isHard: true } : {};
  return (before) => ({ ...before, ...given, ...mode, rates: withRates(before.rates, rates) });
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

/** Null: unlimited; undefined: not given. */
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
