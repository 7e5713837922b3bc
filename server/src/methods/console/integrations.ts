/** console.integrations.*: the clients of the service, with their figures. */
import Type from 'typebox';
import type { Identity } from '#domain/identity/identity';
import type { IntegrationFigures, Overview } from '#domain/overview/overview';
import type { RecentError, RecentErrors } from '#domain/overview/recent-errors';
import type { Removal } from '#domain/overview/removal';
import type { Method } from '#protocol/method';
import { strict } from '#protocol/schema';
import { actOf } from '../act.ts';
import { printDate } from '../attributes-view.ts';
import { dateOrNull, dateSchema, doneSchema, grantSchema, idParam } from './console-schemas.ts';
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
    disabledAt: dateOrNull('it is not disabled'),
    signals: count('Its signals.'),
    items: count('Items that its signals feed.'),
    credentials: count('Its credentials.'),
    pointsToday: count('Values accepted today (UTC).'),
    points7d: count('Values accepted in seven days (UTC), today among them.'),
    requestsToday: count('Calls today (UTC).'),
    rejectedToday: count('Calls that a limit of its plan refused today (UTC).'),
    lastSeenAt: dateOrNull('no program has used a credential yet; connection tests do not count'),
    errors: count('What went wrong for it since the service was started.'),
    lastErrorAt: dateOrNull('nothing went wrong'),
  },
  { ...strict, title: 'IntegrationFigures' },
);

const errorSchema = Type.Object(
  {
    method: Type.Union([Type.String(), Type.Null()], {
      description: 'Null: no call was made, or there is no such method.',
    }),
    code: Type.Integer({
      description: 'Of the fault, below 0; or the HTTP status of a request that was no call.',
    }),
    message: Type.String(),
    path: Type.Union([Type.String(), Type.Null()], {
      description: 'Of the first parameter at fault; null: none is.',
    }),
    problem: Type.Union([Type.String(), Type.Null()], {
      description: 'What is wrong there, without the value that was sent.',
    }),
    count: Type.Integer({ description: 'How often since firstAt.' }),
    firstAt: dateSchema,
    lastAt: dateSchema,
    address: Type.String({ description: 'Where the last one came from.' }),
    trace: Type.String({ description: 'Of the last one; the log has more under it.' }),
  },
  { ...strict, title: 'IntegrationError' },
);

const impactSchema = Type.Object(
  { signals: count('Signals that go, with their points.'), credentials: count('Credentials that go.') },
  strict,
);

const integration = idParam('integration');

interface Services {
  overview: Overview;
  identity: Identity;
  removal: Removal;
  errors: RecentErrors;
}

/** The definitions. */
export function consoleIntegrations(services: Services): Method[] {
  return [...lifeMethods(services), ...accessMethods(services), errorsMethod(services)];
}

function lifeMethods(services: Services): Method[] {
  return [
    defineConsole({
      role: 'viewer',
      name: 'console.integrations.list',
      summary: 'Lists all integrations with their figures, oldest first.',
      params: Type.Object({}),
      result: Type.Object({ integrations: Type.Array(integrationSchema) }, strict),
      run: async () => ({ integrations: (await services.overview.integrations()).map(view) }),
    }),
    defineConsole({
      name: 'console.integrations.create',
      summary: 'Makes an integration, still without a credential.',
      params: Type.Object({ name: nameSchema, grants: Type.Array(grantSchema, { default: [] }) }),
      result: Type.Object({ id: integration }, strict),
      async run(call, { name, grants }) {
        const { id } = await services.identity.createIntegration(actOf(call), name, grants);
        return { id };
      },
    }),
    defineConsole({
      name: 'console.integrations.rename',
      summary: 'Gives an integration another name.',
      params: Type.Object({ id: integration, name: nameSchema }),
      result: doneSchema,
      async run(call, { id, name }) {
        await services.identity.renameIntegration(actOf(call), id, name);
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
        dryRun ? services.removal.impact(id) : services.removal.remove(actOf(call), id),
    }),
  ];
}

function accessMethods(services: Services): Method[] {
  const params = Type.Object({ id: integration, grant: grantSchema });
  const setDisabled = (name: string, summary: string, isDisabled: boolean) =>
    defineConsole({
      name,
      summary,
      params: Type.Object({ id: integration }),
      result: doneSchema,
      async run(call, { id }) {
        await services.identity.setDisabled(actOf(call), id, isDisabled);
        return {};
      },
    });
  return [
    setDisabled(
      'console.integrations.disable',
      'Refuses the credentials and tokens of an integration, within a second; what it has stored stays (A1b).',
      true,
    ),
    setDisabled(
      'console.integrations.enable',
      'Accepts the credentials of a disabled integration again.',
      false,
    ),
    defineConsole({
      name: 'console.integrations.grant',
      summary: 'Lets an integration use a namespace.',
      params,
      result: doneSchema,
      async run(call, { id, grant }) {
        await services.identity.grant(actOf(call), id, grant);
        return {};
      },
    }),
    defineConsole({
      name: 'console.integrations.revoke',
      summary: 'Takes a namespace from an integration, within a second.',
      params,
      result: doneSchema,
      async run(call, { id, grant }) {
        await services.identity.revokeGrant(actOf(call), id, grant);
        return {};
      },
    }),
  ];
}

function view({
  createdAtMs,
  disabledAtMs,
  lastSeenAtMs,
  today,
  week,
  errors,
  ...figures
}: IntegrationFigures) {
  const { id, name, grants, plan, signals, items, credentials } = figures;
  return {
    id,
    name,
    grants,
    plan,
    createdAt: printDate(createdAtMs),
    disabledAt: dateOf(disabledAtMs),
    signals,
    items,
    credentials,
    pointsToday: today.points,
    points7d: week.points,
    requestsToday: today.requests,
    rejectedToday: today.rejected,
    lastSeenAt: dateOf(lastSeenAtMs),
    errors: errors?.count ?? 0,
    lastErrorAt: dateOf(errors?.lastAtMs ?? null),
  };
}

function dateOf(ms: number | null): string | null {
  return ms === null ? null : printDate(ms);
}

function viewError({ method, code, message, path, problem, count, address, traceId, ...times }: RecentError) {
  const [firstAt, lastAt] = [printDate(times.firstAtMs), printDate(times.lastAtMs)];
  return { method, code, message, path, problem, count, firstAt, lastAt, address, trace: traceId };
}

function errorsMethod(services: Services): Method {
  return defineConsole({
    role: 'viewer',
    name: 'console.integrations.errors',
    summary: 'Lists the errors of an integration since the start, by kind, the most recent first.',
    params: Type.Object({ id: integration }),
    result: Type.Object(
      {
        errors: Type.Array(errorSchema),
        total: count('Errors since the start, also those of kinds that are not listed any more.'),
      },
      strict,
    ),
    run: async (_call, { id }) => ({
      errors: services.errors.list(id).map(viewError),
      total: services.errors.sumOf(id)?.count ?? 0,
    }),
  });
}
