/** console.calls.*: current calls, slow calls, and cancelling calls (I33). */
import Type from 'typebox';
import { invalidParams } from '#model/error';
import type { SeenCall } from '#model/seen-call';
import type { Method } from '#protocol/method';
import { closed, nullable, titled } from '#protocol/schema';
import type { MethodServices } from '../services.ts';
import { dateSchema, silentNodesSchema, viewAs } from './console-schemas.ts';
import { defineAct, defineView } from './define-console.ts';
import { namesOf } from './names.ts';

/** The kinds of load; calls of each kind are queued and measured separately. */
export const loads = ['insert', 'read', 'change'] as const;

/** Durations of the recent calls of a kind. */
export const durationSchema = titled('DurationSummary', {
  count: Type.Integer({ description: 'Calls since the start.' }),
  medianMs: Type.Number({ description: 'Median of the last 256 calls.' }),
  p95Ms: Type.Number({ description: '95th percentile of the last 256 calls.' }),
  maxMs: Type.Number(),
});

const seen = {
  method: Type.String(),
  caller: closed({
    id: Type.String({ description: 'ID of the integration or person.' }),
    kind: Type.Enum(['integration', 'person']),
    name: nullable(Type.String(), { description: 'Null: it was deleted.' }),
  }),
  address: Type.String({ description: 'IP address of the client.' }),
  trace: Type.String(),
  startedAt: dateSchema,
  durationMs: Type.Number(),
  node: Type.String({ description: 'Name of the node that runs it; empty where there is only one.' }),
  plan: Type.Unknown({ description: 'Plan of the read; null: none.' }),
};

const idSchema = Type.Integer({ minimum: 1, description: 'ID of a running call.' });
const runningSchema = titled('RunningCall', { id: idSchema, ...seen });
const slowSchema = titled('SlowCall', {
  ...seen,
  code: Type.Integer({ description: 'Error code; 0: success.' }),
});

type Services = Pick<MethodServices, 'calls' | 'people' | 'identity'>;

/** The definitions. */
export function consoleActivity(services: Services): Method[] {
  return [
    defineView({
      name: 'console.calls.list',
      summary: 'Lists running calls except inserts, longest first, and slow calls, newest first.',
      result: closed({
        running: Type.Array(runningSchema),
        slow: Type.Array(slowSchema),
        silentNodes: silentNodesSchema,
      }),
      async run() {
        const { calls } = services;
        const silent = new Set<string>();
        const [names, running, slow] = await Promise.all([
          namesOf(services),
          calls.running(silent),
          calls.slow(silent),
        ]);
        return {
          running: running.map((call) => viewAs(runningSchema, named(call, names))),
          slow: slow.map((call) => viewAs(slowSchema, named(call, names))),
          silentNodes: [...silent],
        };
      },
    }),
    defineAct({
      name: 'console.calls.cancel',
      summary: 'Cancels a running call; what it has changed already remains.',
      params: Type.Object({
        id: idSchema,
        node: Type.Optional(
          Type.String({ description: 'Node that runs it; default: the one that answers.' }),
        ),
      }),
      async act(_call, { id, node }) {
        if (!(await services.calls.cancel(id, node)))
          throw invalidParams({ id: [`call ${id} is not running`] });
      },
    }),
  ];
}

/** Names the caller of a call. */
function named<C extends SeenCall>(call: C, names: ReadonlyMap<string, string>) {
  const { caller: id, isPerson, traceId: trace } = call;
  const kind = isPerson ? ('person' as const) : ('integration' as const);
  return { ...call, trace, caller: { id, kind, name: names.get(id) ?? null } };
}
