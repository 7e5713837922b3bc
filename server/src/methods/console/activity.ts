/** console.calls.*: current calls, slow calls, and cancelling calls (I33). */
import Type from 'typebox';
import type { Identity } from '#domain/identity/identity';
import type { People } from '#domain/people/people';
import { invalidParams } from '#model/error';
import type { SeenCall } from '#model/seen-call';
import type { Method } from '#protocol/method';
import { strict } from '#protocol/schema';
import { printDate } from '../attributes-view.ts';
import { dateSchema, doneSchema } from './console-schemas.ts';
import { defineConsole } from './define-console.ts';
import type { CallWatch } from './host.ts';

/** The kinds of load; calls of each kind are queued and measured separately. */
export const loads = ['insert', 'read', 'change'] as const;

/** Durations of the recent calls of a kind. */
export const durationSchema = Type.Object(
  {
    count: Type.Integer({ description: 'Calls since the start.' }),
    medianMs: Type.Number({ description: 'Half of the last 256 took no longer.' }),
    p95Ms: Type.Number({ description: 'Nineteen in twenty of them took no longer.' }),
    maxMs: Type.Number(),
  },
  { ...strict, title: 'DurationSummary' },
);

const seen = {
  method: Type.String(),
  caller: Type.Object(
    {
      id: Type.String({ description: 'Of the integration or person.' }),
      kind: Type.Enum(['integration', 'person']),
      name: Type.Union([Type.String(), Type.Null()], { description: 'Null: it is gone.' }),
    },
    strict,
  ),
  address: Type.String({ description: 'Where it came from.' }),
  trace: Type.String(),
  startedAt: dateSchema,
  durationMs: Type.Number(),
  plan: Type.Unknown({ description: 'What was decided before reading; null: nothing.' }),
};

const idSchema = Type.Integer({ minimum: 1, description: 'Of a running call.' });
const runningSchema = Type.Object({ id: idSchema, ...seen }, { ...strict, title: 'RunningCall' });
const slowSchema = Type.Object(
  { ...seen, code: Type.Integer({ description: 'Of the fault; 0 when it succeeded.' }) },
  { ...strict, title: 'SlowCall' },
);

interface Services {
  calls: CallWatch;
  people: People;
  identity: Identity;
}

/** The definitions. */
export function consoleActivity(services: Services): Method[] {
  return [
    defineConsole({
      role: 'viewer',
      name: 'console.calls.list',
      summary:
        'Lists the calls that run, inserts apart, the longest first; and those that were slow, the newest first.',
      params: Type.Object({}),
      result: Type.Object({ running: Type.Array(runningSchema), slow: Type.Array(slowSchema) }, strict),
      async run() {
        const names = await namesOf(services);
        const { calls } = services;
        return {
          running: calls.running().map(({ id, ...call }) => ({ id, ...view(call, names) })),
          slow: calls.slow().map(({ code, ...call }) => ({ ...view(call, names), code })),
        };
      },
    }),
    defineConsole({
      name: 'console.calls.cancel',
      summary: 'Ends a running call as soon as it looks; what it has changed stays.',
      params: Type.Object({ id: idSchema }),
      result: doneSchema,
      async run(_call, { id }) {
        if (!services.calls.cancel(id)) throw invalidParams({ id: [`no call ${id} runs any more`] });
        return {};
      },
    }),
  ];
}

function view(call: SeenCall, names: ReadonlyMap<string, string>) {
  const { method, caller, isPerson, address, traceId, startedAtMs, durationMs, plan } = call;
  return {
    method,
    caller: { id: caller, kind: isPerson ? 'person' : 'integration', name: names.get(caller) ?? null },
    address,
    trace: traceId,
    startedAt: printDate(startedAtMs),
    durationMs,
    plan,
  };
}

/** ID → name, of integrations and people. */
async function namesOf({ people, identity }: Services): Promise<Map<string, string>> {
  const all = [...people.list(), ...(await identity.listIntegrations())];
  return new Map(all.map(({ id, name }) => [id, name]));
}
