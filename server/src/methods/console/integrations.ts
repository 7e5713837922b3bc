/** console.integrations.*: the clients of the service, with their figures. */
import Type, { type Static } from 'typebox';
import type { IntegrationFigures } from '#domain/overview/overview';
import type { RecentError } from '#domain/overview/recent-errors';
import type { Method } from '#protocol/method';
import { closed, nullable, titled } from '#protocol/schema';
import { actOf } from '../act.ts';
import type { MethodServices } from '../services.ts';
import {
  dateOrNull,
  dateSchema,
  grantSchema,
  idParam,
  silentNodesSchema,
  viewAs,
} from './console-schemas.ts';
import { defineAct, defineConsole, defineView } from './define-console.ts';

const nameSchema = Type.String({ description: '1-128 characters.' });
const count = (description: string) => Type.Integer({ minimum: 0, description });

const integrationSchema = titled('IntegrationFigures', {
  id: idParam('integration'),
  name: nameSchema,
  grants: Type.Array(grantSchema),
  plan: Type.String(),
  createdAt: dateSchema,
  disabledAt: dateOrNull('it is not disabled'),
  signals: count('Number of its signals.'),
  items: count('Number of items that its signals feed.'),
  credentials: count('Number of its credentials.'),
  pointsToday: count('Values accepted today (UTC).'),
  points7d: count('Values accepted in the last seven days (UTC), including today.'),
  requestsToday: count('Calls today (UTC).'),
  rejectedToday: count('Calls rejected by a limit of its plan today (UTC).'),
  lastSeenAt: dateOrNull('no program has used a credential yet; connection tests do not count'),
  errors: count('Failed calls since the service was started.'),
  lastErrorAt: dateOrNull('no call failed'),
});

const errorSchema = titled('IntegrationError', {
  method: nullable(Type.String(), {
    description: 'Null: no call was made, or the method is unknown.',
  }),
  code: Type.Integer({
    description: 'Error code, negative; or the HTTP status of a request without a call.',
  }),
  message: Type.String(),
  path: nullable(Type.String(), {
    description: 'Path of the first invalid parameter; null: none.',
  }),
  problem: nullable(Type.String(), {
    description: 'The problem at that path, without the value that was sent.',
  }),
  count: Type.Integer({ description: 'Number since firstAt.' }),
  firstAt: dateSchema,
  lastAt: dateSchema,
  address: Type.String({ description: 'IP address of the client of the last one.' }),
  trace: Type.String({ description: 'Trace ID of the last one, by which the log is searched.' }),
});

const impactSchema = closed({
  signals: count('Signals that are deleted, with their points.'),
  credentials: count('Credentials that are deleted.'),
});

const perMinute = (what: string) => count(`Messages that ${what}, in the last minute.`);

const trafficSchema = titled('BrokerTraffic', {
  connections: nullable(count('Its connections to the broker now.'), {
    description:
      'Its connections to the broker now; null: they are those of another broker, which does not say.',
  }),
  received: perMinute('its clients published'),
  rejected: perMinute('were rejected, of those that were received'),
  delivered: perMinute('were sent to its subscribers'),
});

const integration = idParam('integration');

type Services = Pick<MethodServices, 'overview' | 'identity' | 'removal' | 'errors' | 'traffic'>;

/** The definitions. */
export function consoleIntegrations(services: Services): Method[] {
  return [
    ...lifeMethods(services),
    ...accessMethods(services),
    errorsMethod(services),
    brokerMethod(services),
  ];
}

function lifeMethods(services: Services): Method[] {
  return [
    defineView({
      name: 'console.integrations.list',
      summary: 'Lists all integrations with their figures, oldest first.',
      result: closed({ integrations: Type.Array(integrationSchema) }),
      run: async () => ({ integrations: (await services.overview.integrations()).map(view) }),
    }),
    defineConsole({
      name: 'console.integrations.create',
      summary: 'Creates an integration without a credential.',
      params: Type.Object({ name: nameSchema, grants: Type.Array(grantSchema, { default: [] }) }),
      result: closed({ id: integration }),
      async run(call, { name, grants }) {
        const { id } = await services.identity.createIntegration(actOf(call), name, grants);
        return { id };
      },
    }),
    defineAct({
      name: 'console.integrations.rename',
      summary: 'Renames an integration.',
      params: Type.Object({ id: integration, name: nameSchema }),
      act: (call, { id, name }) => services.identity.renameIntegration(actOf(call), id, name),
    }),
    defineConsole({
      name: 'console.integrations.delete',
      summary: 'Deletes an integration with its credentials, signals and points; items remain.',
      params: Type.Object({
        id: integration,
        dryRun: Type.Boolean({ default: false, description: 'Delete nothing; only return the counts.' }),
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
    defineAct({
      name,
      summary,
      params: Type.Object({ id: integration }),
      act: (call, { id }) => services.identity.setDisabled(actOf(call), id, isDisabled),
    });
  return [
    setDisabled(
      'console.integrations.disable',
      'Rejects the credentials and tokens of an integration, within a second; its data remain (A1b).',
      true,
    ),
    setDisabled(
      'console.integrations.enable',
      'Accepts the credentials of a disabled integration again.',
      false,
    ),
    defineAct({
      name: 'console.integrations.grant',
      summary: 'Grants a namespace to an integration.',
      params,
      act: (call, { id, grant }) => services.identity.grant(actOf(call), id, grant),
    }),
    defineAct({
      name: 'console.integrations.revoke',
      summary: 'Revokes a namespace from an integration, within a second.',
      params,
      act: (call, { id, grant }) => services.identity.revokeGrant(actOf(call), id, grant),
    }),
  ];
}

function view({ today, week, errors, ...figures }: IntegrationFigures) {
  return viewAs(integrationSchema, {
    ...figures,
    grants: figures.grants as Static<typeof grantSchema>[],
    pointsToday: today.points,
    points7d: week.points,
    requestsToday: today.requests,
    rejectedToday: today.rejected,
    errors: errors?.count ?? 0,
    lastErrorAtMs: errors?.lastAtMs ?? null,
  });
}

function viewError(error: RecentError) {
  return viewAs(errorSchema, { ...error, trace: error.traceId });
}

function errorsMethod(services: Services): Method {
  return defineConsole({
    role: 'viewer',
    name: 'console.integrations.errors',
    summary: 'Lists the errors of an integration since the service was started, by kind, most recent first.',
    params: Type.Object({ id: integration }),
    result: closed({
      errors: Type.Array(errorSchema),
      total: count(
        'Errors since the service was started, including those of kinds that are no longer listed.',
      ),
      silentNodes: silentNodesSchema,
    }),
    async run(_call, { id }) {
      const silent = new Set<string>();
      const [errors, sums] = await Promise.all([services.errors.list(id, silent), services.errors.sums()]);
      const total = sums.get(id)?.count ?? 0;
      return { errors: errors.map(viewError), total, silentNodes: [...silent] };
    },
  });
}

function brokerMethod({ traffic }: Services): Method {
  return defineConsole({
    role: 'viewer',
    name: 'console.integrations.broker',
    summary:
      'Returns the MQTT connections of an integration, and its messages in the last minute, on all nodes.',
    params: Type.Object({ id: integration }),
    result: closed({
      broker: nullable(trafficSchema, { description: 'Null: the service runs without a broker.' }),
      silentNodes: silentNodesSchema,
    }),
    async run(_call, { id }) {
      const silent = new Set<string>();
      const broker = await traffic.of(id, silent);
      return { broker, silentNodes: [...silent] };
    },
  });
}
