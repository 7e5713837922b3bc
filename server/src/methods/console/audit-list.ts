/** console.audit.list: administrative acts, newest first. */
import Type from 'typebox';
import type { Audit } from '#domain/audit/audit';
import { auditView } from '#domain/audit/chain';
import type { Identity } from '#domain/identity/identity';
import type { People } from '#domain/people/people';
import { instantProblem, parseInstant } from '#model/instant';
import { ProblemList } from '#model/problem-list';
import type { Method } from '#protocol/method';
import { strict } from '#protocol/schema';
import { dateSchema } from './console-schemas.ts';
import { defineConsole } from './define-console.ts';

const rowsMax = 1000;

const rowSchema = Type.Object(
  {
    seq: Type.Integer({ description: '1, 2, 3 …, without gaps.' }),
    time: dateSchema,
    actor: Type.String({
      description: 'Such as person:<ID>, integration:<ID>/<credential>, cli:<user>, service.',
    }),
    actorName: Type.Union([Type.String(), Type.Null()], {
      description: 'The name of the person or integration now; null when it has none, or is gone.',
    }),
    origin: Type.String({ description: 'The address that the call came from; or cli, service.' }),
    action: Type.String({ description: 'Such as credential.revoke.' }),
    target: Type.String({ description: 'The ID or name of what it was done to.' }),
    targetName: Type.Union([Type.String(), Type.Null()], {
      description:
        'The name of that integration or person, or the label of that credential, now; null when it has none, or is gone.',
    }),
    change: Type.Unknown({ description: 'As a rule field: [before, after].' }),
  },
  { ...strict, title: 'AuditRow' },
);

const filterSchema = Type.Object(
  {
    actor: Type.Optional(Type.String()),
    action: Type.Optional(Type.String()),
    target: Type.Optional(Type.String()),
  },
  { ...strict, description: 'Only rows with exactly these.' },
);

interface Services {
  audit: Audit;
  people: People;
  identity: Identity;
}

/** The definitions. */
export function consoleAudit(services: Services): Method[] {
  const method = defineConsole({
    name: 'console.audit.list',
    role: 'viewer',
    summary: 'Lists administrative acts, newest first.',
    params: Type.Object({
      before: Type.Optional(
        Type.Integer({ minimum: 1, description: 'Only rows below this seq: the next page.' }),
      ),
      limit: Type.Integer({ default: 100, minimum: 1, maximum: rowsMax }),
      filter: Type.Optional(filterSchema),
      from: Type.Optional(Type.String({ description: 'RFC 3339: only acts at or after it.' })),
      until: Type.Optional(Type.String({ description: 'RFC 3339: only acts before it.' })),
    }),
    result: Type.Object({ rows: Type.Array(rowSchema) }, strict),
    async run(_call, { before, limit, filter = {}, from, until }) {
      const { fromMs, untilMs } = parseTimes(from, until);
      const { audit } = services;
      const ends = [before, untilMs === undefined ? undefined : await audit.seqAt(untilMs)];
      const beforeSeq = Math.min(...ends.map((seq) => seq ?? Number.MAX_SAFE_INTEGER));
      const afterSeq = fromMs === undefined ? 0 : (await audit.seqAt(fromMs)) - 1;
      const rows = await audit.list({ ...filter, limit, beforeSeq, afterSeq });
      const names = await namesOf(services);
      return {
        rows: rows.map((row) => {
          const { previous: _previous, ...view } = auditView(row);
          const actorName =
            names.get(row.actor.split('/', 1)[0].replace(/^(person|integration):/, '')) ?? null;
          return { ...view, actorName, targetName: names.get(row.target) ?? null };
        }),
      };
    },
  });
  return [method];
}

/** ID → name or label, of people, integrations and credentials. */
async function namesOf({ people, identity }: Services): Promise<Map<string, string>> {
  const [integrations, credentials] = await Promise.all([
    identity.listIntegrations(),
    identity.listCredentials(),
  ]);
  const labelled = credentials.filter(({ label }) => label !== '');
  return new Map([
    ...labelled.map(({ id, label }) => [id, label] as const),
    ...[...people.list(), ...integrations].map(({ id, name }) => [id, name] as const),
  ]);
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
