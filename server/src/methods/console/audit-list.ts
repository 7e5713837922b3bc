/** console.audit.list: administrative acts, newest first. */
import Type from 'typebox';
import { auditView } from '#domain/audit/chain';
import { instantProblem, parseInstant } from '#model/instant';
import { ProblemList } from '#model/problem-list';
import type { Method } from '#protocol/method';
import { closed, nullable, strict, titled } from '#protocol/schema';
import type { MethodServices } from '../services.ts';
import { dateSchema } from './console-schemas.ts';
import { defineConsole } from './define-console.ts';
import { actorNameIn, namesOf } from './names.ts';

const rowsMax = 1000;

const rowSchema = titled('AuditRow', {
  seq: Type.Integer({ description: '1, 2, 3 … without gaps.' }),
  time: dateSchema,
  actor: Type.String({
    description: 'Such as person:<ID>, integration:<ID>/<credential>, cli:<user>, service.',
  }),
  actorName: nullable(Type.String(), {
    description: 'Current name of the person or integration; null: it has none, or was deleted.',
  }),
  origin: Type.String({ description: 'IP address of the client; or cli, service.' }),
  action: Type.String({ description: 'Such as credential.revoke.' }),
  target: Type.String({ description: 'ID or name of the object of the act.' }),
  targetName: nullable(Type.String(), {
    description:
      'Current name of that integration or person, or label of that credential; null: it has none, or was deleted.',
  }),
  change: Type.Unknown({ description: 'Usually by field: [before, after].' }),
});

const filterSchema = Type.Object(
  {
    actor: Type.Optional(Type.String()),
    action: Type.Optional(Type.String()),
    target: Type.Optional(Type.String()),
  },
  { ...strict, description: 'Only rows with exactly these values.' },
);

type Services = Pick<MethodServices, 'audit' | 'people' | 'identity'>;

/** The definitions. */
export function consoleAudit(services: Services): Method[] {
  const method = defineConsole({
    name: 'console.audit.list',
    role: 'viewer',
    summary: 'Lists administrative acts, newest first.',
    params: Type.Object({
      before: Type.Optional(
        Type.Integer({ minimum: 1, description: 'Only rows with a lower seq, for the next page.' }),
      ),
      limit: Type.Integer({ default: 100, minimum: 1, maximum: rowsMax }),
      filter: Type.Optional(filterSchema),
      from: Type.Optional(Type.String({ description: 'RFC 3339: only acts at or after this time.' })),
      until: Type.Optional(Type.String({ description: 'RFC 3339: only acts before this time.' })),
    }),
    result: closed({ rows: Type.Array(rowSchema) }),
    async run(_call, { before, limit, filter = {}, from, until }) {
      const { fromMs, untilMs } = parseTimes(from, until);
      const { audit } = services;
      const ends = [before, untilMs === undefined ? undefined : await audit.seqAt(untilMs)];
      const beforeSeq = Math.min(...ends.map((seq) => seq ?? Number.MAX_SAFE_INTEGER));
      const afterSeq = fromMs === undefined ? 0 : (await audit.seqAt(fromMs)) - 1;
      const rows = await audit.list({ ...filter, limit, beforeSeq, afterSeq });
      const names = await allNames(services);
      return {
        rows: rows.map((row) => {
          const { previous: _previous, ...view } = auditView(row);
          return {
            ...view,
            actorName: actorNameIn(names, row.actor),
            targetName: names.get(row.target) ?? null,
          };
        }),
      };
    },
  });
  return [method];
}

/** ID → name or label, of people, integrations and credentials. */
async function allNames(services: Services): Promise<Map<string, string>> {
  const labelled = (await services.identity.listCredentials()).filter(({ label }) => label !== '');
  const names = await namesOf(services);
  for (const { id, label } of labelled) names.set(id, label);
  return names;
}

function parseTimes(from: string | undefined, until: string | undefined) {
  const problems = new ProblemList();
  const read = (name: string, text: string | undefined) => {
    if (text === undefined) return undefined;
    const us = parseInstant(text);
    if (Number.isNaN(us)) problems.add([name], instantProblem(text));
    return Math.ceil(us / 1000);
  };
  const times = { fromMs: read('from', from), untilMs: read('until', until) };
  if (!problems.isEmpty) throw problems.toError();
  return times;
}
