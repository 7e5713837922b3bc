/** console.signals.silent and .byAge: silent signals, and signals in order of their newest points (A5i). */
import Type, { type Static } from 'typebox';
import type { AgeQuery, SignalAge } from '#domain/overview/recency';
import { printDuration } from '#model/duration';
import { printInstant } from '#model/instant-printer';
import { ProblemList } from '#model/problem-list';
import type { Signal } from '#model/signal';
import type { Method } from '#protocol/method';
import { closed, titled } from '#protocol/schema';
import { parseFixedDuration } from '../interval.ts';
import { parseResourceQuery, resourceQuerySchema } from '../resource-query.ts';
import type { MethodServices } from '../services.ts';
import { signalRules } from '../signal-selection.ts';
import { dateOrNull, idParam } from './console-schemas.ts';
import { defineConsole, defineView } from './define-console.ts';

const limitMax = 1000;

const asOf = Type.String({
  description:
    'RFC 3339, UTC: the time of the answer, some seconds ago, or with very many signals minutes ago.',
});
const count = (description: string) => Type.Integer({ minimum: 0, description });

const silenceSchema = titled('IntegrationSilence', {
  integration: idParam('integration'),
  signals: count('Number of its signals.'),
  silent: count('Signals without a point for longer than their gap or than usual.'),
  lastTime: dateOrNull('it has no points'),
});

const ageSchema = titled('SignalAge', {
  id: idParam('signal'),
  integration: idParam('integration'),
  name: Type.String(),
  input: Type.String(),
  lastTime: dateOrNull('it has no points'),
  gap: Type.String({
    description:
      'Duration after which it counts as silent: its gapDetection, else three sample intervals, else three times the usual distance of its points.',
  }),
  isSilent: Type.Boolean(),
});

const byAgeParams = Type.Object({
  integration: Type.Optional(idParam('integration')),
  filter: resourceQuerySchema.properties.filter,
  isSilentOnly: Type.Boolean({ default: false, description: 'Only silent signals.' }),
  olderThan: Type.Optional(Type.String({ description: 'Newest point at least this duration ago.' })),
  youngerThan: Type.Optional(Type.String({ description: 'Newest point less than this duration ago.' })),
  order: Type.Enum(['newest', 'oldest'], {
    default: 'newest',
    description: 'Newest or oldest last point first; signals without points come last.',
  }),
  limit: Type.Integer({ default: 100, minimum: 0, maximum: limitMax }),
  skip: Type.Integer({ default: 0, minimum: 0, description: 'Number of matches to leave out.' }),
});

type Services = Pick<MethodServices, 'recency' | 'signals' | 'limits'>;

/** The definitions. */
export function consoleSignalsRecency({ recency, signals, limits }: Services): Method[] {
  return [
    defineView({
      name: 'console.signals.silent',
      load: 'read',
      summary: 'Counts silent signals: those without a point for longer than their gap, or than usual.',
      result: closed({
        asOf,
        signals: count('Number of all signals.'),
        silent: count('Number of silent signals.'),
        integrations: Type.Array(silenceSchema, { description: 'Most silent signals first.' }),
      }),
      async run() {
        const { asOfUs, integrations, ...counts } = await recency.summary();
        const view = integrations.map(({ lastUs, ...each }) => ({ ...each, lastTime: printKnown(lastUs) }));
        return { asOf: printInstant(asOfUs), ...counts, integrations: view };
      },
    }),
    defineConsole({
      name: 'console.signals.byAge',
      role: 'viewer',
      load: 'read',
      summary: 'Lists signals by the age of their newest point.',
      params: byAgeParams,
      result: closed({ asOf, total: count('All matches.'), signals: Type.Array(ageSchema) }),
      async run(call, params) {
        const { filter } = parseResourceQuery(
          params.filter === undefined ? {} : { filter: params.filter },
          'query',
          signalRules(limits),
        );
        const query = { ...agesOf(params), filter };
        const { asOfUs, total, ages } = await recency.list(query, call.signal);
        const found = await signals.signalsById(ages.map(({ id }) => id));
        return { asOf: printInstant(asOfUs), total, signals: viewAges(ages, found) };
      },
    }),
  ];
}

function agesOf(params: Static<typeof byAgeParams>): Omit<AgeQuery, 'filter'> {
  const { integration = null, isSilentOnly, olderThan, youngerThan, order, limit, skip } = params;
  const problems = new ProblemList();
  const read = (name: string, text: string | undefined, absent: number) => {
    const us = text === undefined ? absent : parseFixedDuration(text);
    if (typeof us === 'number') return us;
    problems.add([name], us.problem);
    return absent;
  };
  const olderThanUs = read('olderThan', olderThan, 0);
  const youngerThanUs = read('youngerThan', youngerThan, Number.POSITIVE_INFINITY);
  if (!problems.isEmpty) throw problems.toError();
  return { integration, isSilentOnly, olderThanUs, youngerThanUs, order, limit, skip };
}

/** Signals that have been deleted meanwhile are left out. */
function viewAges(ages: readonly SignalAge[], signals: readonly Signal[]) {
  const byId = new Map(signals.map((signal) => [signal.id, signal]));
  return ages.flatMap(({ id, integration, lastUs, gapUs, isSilent }) => {
    const signal = byId.get(id);
    if (signal === undefined) return [];
    const { input, attributes } = signal;
    const gap = printDuration({ kind: 'fixed', us: Math.round(gapUs) });
    return [{ id, integration, name: attributes.name, input, lastTime: printKnown(lastUs), gap, isSilent }];
  });
}

function printKnown(us: number): string | null {
  return Number.isNaN(us) ? null : printInstant(us);
}
