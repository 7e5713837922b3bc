/** `POST /v1/mqtt/auth` and `/v1/mqtt/acl`: an existing broker asks who may connect, and who may use which topic (M5). */
import { parseBearer } from '#protocol/authorization';
import { readBody } from '../../http/body.ts';
import type { Exchange } from '../../http/exchange.ts';
import { formType } from '../../http/form.ts';
import { jsonType } from '../../http/media-type.ts';
import { HttpProblem } from '../../http/problem.ts';
import { queryOf } from '../../http/query.ts';
import type { HttpRoute } from '../../http/route.ts';
import { isSameSecret } from '../../http/same-secret.ts';
import { BrokerHooks, type BrokerHooksOptions } from './broker-hooks.ts';
import { formOf, type HookFields, type HookKind } from './hook-form.ts';

/** A name, a password and a few topics, which may have 64 KiB each. */
const bodyBytesMax = 256 * 1024;

/** The routes, for a broker that knows the token. */
export function hookRoutes(token: string, options: BrokerHooksOptions): HttpRoute[] {
  const hooks = new BrokerHooks(options);
  const route = (path: string, kind: HookKind): HttpRoute => ({
    ...{ method: 'POST', path, needsService: true },
    serve: (exchange) => serveHook(hooks, token, kind, exchange),
  });
  return [route('/v1/mqtt/auth', 'connect'), route('/v1/mqtt/acl', 'topics')];
}

async function serveHook(
  hooks: BrokerHooks,
  token: string,
  kind: HookKind,
  exchange: Exchange,
): Promise<void> {
  requireToken(token, exchange);
  const { bytes, free } = await readBody(exchange, bodyBytesMax);
  const fields = fieldsOf(exchange.header('content-type'), bytes.toString('utf8'));
  free();
  const form = formOf(exchange.header('vernemq-hook'), fields);
  const isAllowed = await hooks.allows(form.read(kind, fields), exchange.origin);
  const { status, body } = form.answer(isAllowed);
  await exchange.sendText(status, jsonType, JSON.stringify(body), { 'cache-control': 'no-store' });
}

/** In the header, or in the URL, since not every plug-in can send headers. */
function requireToken(token: string, exchange: Exchange): void {
  const given =
    parseBearer(exchange.header('authorization') ?? '') ?? queryOf(exchange.request).get('token') ?? '';
  if (isSameSecret(given, token)) return;
  throw new HttpProblem(
    401,
    'This needs the token of --mqtt-auth-token-file, as a Bearer token or as the parameter "token"',
    { 'www-authenticate': 'Bearer realm="tidemark mqtt"' },
  );
}

/** Members of a JSON object, or fields of a form. */
function fieldsOf(contentType: string | undefined, text: string): HookFields {
  const type = contentType?.split(';')[0].trim().toLowerCase();
  if (type === formType) return Object.fromEntries(new URLSearchParams(text));
  const fields = parseJson(text);
  if (typeof fields === 'object' && fields !== null && !Array.isArray(fields)) return fields as HookFields;
  throw new HttpProblem(400, 'The body must be a JSON object, or a form with its Content-Type');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
