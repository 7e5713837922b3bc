/** console.integrations.*: the clients of the service, with their figures. */
import Type from 'typebox';
import type { IntegrationFigures } from '#domain/overview/overview';
import type { Method } from '#protocol/method';
import { actOf } from '../act.ts';
import { printDate } from '../attributes-view.ts';
import type { Domain } from '../domain.ts';
import { dateOrNull, dateSchema, doneSchema, grantSchema, idParam, strict } from './console-schemas.ts';
import { defineConsole } from './define-console.ts';

const nameSchema = Type.String({ description: '1-128 characters.' });
const count = (description: string) => Type.Integer({ minimum: 0, description });

const integrationSchema = Type.Object(
  {
    id: idParam('integration'),
    name: nameSchema,
    grants: Type.Array(grantSchema),
    plan: Type.String(),
    createdAt: dateSchema,
    signals: count('Its signals.'),
    items: count('Items that its signals feed.'),
    credentials: count('Its credentials.'),
    pointsToday: count('Values accepted today (UTC).'),
    points7d: count('Values accepted in seven days (UTC), today among them.'),
    requestsToday: count('Calls today (UTC).'),
    rejectedToday: count('Calls that a limit of its plan refused today (UTC).'),
    lastSeenAt: dateOrNull('no credential was used yet'),
  },
  { ...strict, title: 'IntegrationFigures' },
);

const impactSchema = Type.Object(
  { signals: count('Signals that go, with their points.'), credentials: count('Credentials that go.') },
  strict,
);

const integration = idParam('integration');

/** The definitions. */
export function consoleIntegrations(domain: Domain): Method[] {
  return [...lifeMethods(domain), ...grantMethods(domain)];
}

function lifeMethods({ console: rooms }: Domain): Method[] {
  return [
    defineConsole({
      role: 'viewer',
      name: 'console.integrations.list',
      summary: 'Lists all integrations with their figures, oldest first.',
      params: Type.Object({}),
      result: Type.Object({ integrations: Type.Array(integrationSchema) }, strict),
      run: async () => ({ integrations: (await rooms.overview.integrations()).map(view) }),
    }),
    defineConsole({
      name: 'console.integrations.create',
      summary: 'Makes an integration, still without a credential.',
      params: Type.Object({ name: nameSchema, grants: Type.Array(grantSchema, { default: [] }) }),
      result: Type.Object({ id: integration }, strict),
      async run(call, { name, grants }) {
        const { id } = await rooms.identity.createIntegration(actOf(call), name, grants);
        return { id };
      },
    }),
    defineConsole({
      name: 'console.integrations.rename',
      summary: 'Gives an integration another name.',
      params: Type.Object({ id: integration, name: nameSchema }),
      result: doneSchema,
      async run(call, { id, name }) {
        await rooms.identity.renameIntegration(actOf(call), id, name);
        return {};
      },
    }),
    defineConsole({
      name: 'console.integrations.delete',
      summary: 'Deletes an integration with its credentials, signals and points; items stay.',
      params: Type.Object({
        id: integration,
        dryRun: Type.Boolean({ default: false, description: 'Delete nothing; say what would go.' }),
      }),
      result: impactSchema,
      run: (call, { id, dryRun }) =>
        dryRun ? rooms.removal.impact(id) : rooms.removal.remove(actOf(call), id),
    }),
  ];
}

function grantMethods({ console: rooms }: Domain): Method[] {
  const params = Type.Object({ id: integration, grant: grantSchema });
  return [
    defineConsole({
      name: 'console.integrations.grant',
      summary: 'Lets an integration use a namespace.',
      params,
      result: doneSchema,
      async run(call, { id, grant }) {
        await rooms.identity.grant(actOf(call), id, grant);
        return {};
      },
    }),
    defineConsole({
      name: 'console.integrations.revoke',
      summary: 'Takes a namespace from an integration, within a second.',
      params,
      result: doneSchema,
      async run(call, { id, grant }) {
        await rooms.identity.revokeGrant(actOf(call), id, grant);
        return {};
      },
    }),
  ];
}

function view({ createdAtMs, lastSeenAtMs, today, week, ...figures }: IntegrationFigures) {
  const { id, name, grants, plan, signals, items, credentials } = figures;
  return {
    id,
    name,
    grants,
    plan,
    createdAt: printDate(createdAtMs),
    signals,
    items,
    credentials,
    pointsToday: today.points,
    points7d: week.points,
    requestsToday: today.requests,
    rejectedToday: today.rejected,
    lastSeenAt: lastSeenAtMs === null ? null : printDate(lastSeenAtMs),
  };
}
