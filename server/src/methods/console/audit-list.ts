/** console.audit.list: administrative acts, newest first. */
import Type from 'typebox';
import { auditView } from '#domain/audit/chain';
import type { Method } from '#protocol/method';
import type { Domain } from '../domain.ts';
import type { ConsoleServices } from './console-domain.ts';
import { dateSchema, strict } from './console-schemas.ts';
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

/** The definitions. */
export function consoleAudit({ console: services }: Domain): Method[] {
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
    }),
    result: Type.Object({ rows: Type.Array(rowSchema) }, strict),
    async run(_call, { before, limit, filter = {} }) {
      const rows = await services.audit.list({ ...filter, limit, ...(before && { beforeSeq: before }) });
      const names = await namesOf(services);
      return {
        rows: rows.map((row) => {
          const { previous: _previous, ...view } = auditView(row);
          return { ...view, actorName: names.get(row.actor.split('/', 1)[0]) ?? null };
        }),
      };
    },
  });
  return [method];
}

/** Actor without its credential → its name. */
async function namesOf({ people, identity }: ConsoleServices): Promise<Map<string, string>> {
  const integrations = await identity.listIntegrations();
  return new Map([
    ...people.list().map(({ id, name }) => [`person:${id}`, name] as const),
    ...integrations.map(({ id, name }) => [`integration:${id}`, name] as const),
  ]);
}
