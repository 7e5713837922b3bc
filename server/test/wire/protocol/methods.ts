/** A few methods without a domain, to try the envelope, the versions and the transport on. */
import { setTimeout as wait } from 'node:timers/promises';
import Type from 'typebox';
import { AppError, bug } from '#model/error';
import { Frame } from '#model/frame';
import { defineMethod, type Method } from '#protocol/method';
import { describedOnly } from '#protocol/schema';
import { versions, versionsBetween } from '#protocol/version';

const any = Type.Unknown();

const echo = defineMethod({
  name: 'service.echo',
  synonyms: ['service.items.echo'],
  versions,
  grant: 'service',
  summary: 'Answers its parameters.',
  params: Type.Object({
    limit: Type.Integer({ default: 20, minimum: 0, maximum: 1000 }),
    note: Type.Optional(Type.String({ maxLength: 5 })),
    window: Type.Optional(Type.Union([Type.Null(), Type.String({ pattern: '^PT' })])),
    kind: Type.Optional(Type.Union([Type.Literal('numeric'), Type.Literal('enum')])),
    data: Type.Optional(describedOnly(Type.Array(Type.Number()))),
  }),
  paramSynonyms: { max: 'limit', maximum: 'limit' },
  result: any,
  run: async (_call, params) => params,
});

const need = defineMethod({
  name: 'integration.need',
  versions,
  grant: 'integration',
  summary: 'Has a required parameter.',
  params: Type.Object({
    integration: Type.String(),
    map: Type.Record(Type.String({ pattern: '^[a-z/]+$' }), Type.Integer(), { additionalProperties: false }),
  }),
  result: any,
  run: async (call, params) => ({ ...params, caller: call.caller.integration, trace: call.traceId }),
});

const late = defineMethod({
  name: 'admin.late',
  versions: versionsBetween('1.2', '1.2'),
  grant: 'admin',
  summary: 'Came with 1.2.',
  params: Type.Object({}),
  result: any,
  run: async () => 'late',
});

const failures: Record<string, () => never> = {
  bug: () => bug('SELECT secret FROM /etc/passwd'),
  conflict: () => {
    throw new AppError('conflict', 'Conflict: try once more', { detail: 'row 7' });
  },
  invalid: () => {
    throw new AppError('invalid-resource', 'Would produce an invalid resource', {
      invalidResources: [{ id: 'x', type: 'signals', message: 'no', invalidFields: { name: ['required'] } }],
    });
  },
};

const fail = defineMethod({
  name: 'integration.fail',
  versions,
  grant: null,
  summary: 'Fails in the way that is asked for.',
  params: Type.Object({ how: Type.Enum(['bug', 'conflict', 'invalid']) }),
  result: any,
  run: async (_call, { how }) => failures[how](),
});

/** What {@link slowly} has seen of its end. */
export const seen: { aborts: number } = { aborts: 0 };

const slowly = defineMethod({
  name: 'service.slowly',
  versions,
  grant: 'service',
  summary: 'Takes its time, and stops when nobody waits.',
  params: Type.Object({ ms: Type.Integer({ default: 10 }) }),
  result: any,
  run: async (call, { ms }) => {
    try {
      await wait(ms, undefined, { signal: call.signal });
      return 'done';
    } catch (error) {
      seen.aborts++;
      throw error;
    }
  },
});

const frame = defineMethod({
  name: 'service.frame',
  versions,
  grant: 'service',
  summary: 'Answers a frame of as many rows as wanted.',
  params: Type.Object({ rows: Type.Integer({ default: 2 }), apart: Type.Boolean({ default: false }) }),
  result: any,
  run: async (_call, { rows, apart }) => {
    const timesUs = Float64Array.from({ length: rows }, (_, row) => row * 60e6);
    const values = Float64Array.from({ length: rows }, (_, row) => (row % 7 === 1 ? Number.NaN : row / 4));
    const data = new Frame(timesUs, new Map([['a', values]]));
    return { meta: { total: 1 }, data: apart ? [data, data] : data };
  },
});

/** All of them. */
export const testMethods: readonly Method[] = [echo, need, late, fail, slowly, frame];
