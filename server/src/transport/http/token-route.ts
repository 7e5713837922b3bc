/** The token endpoint, `POST /v1/oauth/token` and `POST /oauth/token`, and its metadata (A2). */
import { authorizationMetadata, type TokenEndpoint, type TokenReply } from '#protocol/oauth';
import { readBody } from './body.ts';
import type { Exchange, Headers } from './exchange.ts';
import { isForm } from './form.ts';
import type { HttpRoute } from './route.ts';

/** Maximum size of the body, which is a form with a few short fields. */
const formBytesMax = 16 * 1024;

/** The paths of the endpoint; the second is the default of OAuth clients that are given a host only. */
export const tokenPaths = ['/v1/oauth/token', '/oauth/token'] as const;

/** Serves one request. */
export async function serveToken(tokens: TokenEndpoint, exchange: Exchange): Promise<void> {
  const { bytes: body } = await readBody(exchange, formBytesMax);
  const reply = await tokens.answer({
    form: isForm(exchange.header('content-type')) ? body.toString('utf8') : null,
    authorization: exchange.header('authorization'),
    from: exchange.origin,
  });
  exchange.rate = reply.rate ?? null;
  await exchange.sendText(reply.status, 'application/json', JSON.stringify(reply.body), headersOf(reply));
}

function headersOf(reply: TokenReply): Headers {
  const headers: Record<string, string> = { 'cache-control': 'no-store', pragma: 'no-cache' };
  if (reply.status === 401) headers['www-authenticate'] = 'Basic realm="tidemark", charset="UTF-8"';
  if (reply.status === 429 && reply.rate !== undefined) headers['retry-after'] = String(reply.rate.resetS);
  return headers;
}

const oauthPath = '/.well-known/oauth-authorization-server';
const openIdPath = '/.well-known/openid-configuration';

/**
 * The routes of the metadata for a service at `baseUrl`. For an issuer with a path, RFC 8414 §3.1 puts the well-known part
 * before it, and OpenID Connect Discovery after it.
 */
export function metadataRoutes(baseUrl: string): HttpRoute[] {
  const text = JSON.stringify(authorizationMetadata(baseUrl));
  const headers = { 'cache-control': 'no-cache', 'access-control-allow-origin': '*' };
  const issuerPath = new URL(baseUrl).pathname.replace(/\/+$/, '');
  const paths = new Set([oauthPath, openIdPath, oauthPath + issuerPath]);
  return [...paths].map((path) => ({
    method: 'GET',
    path,
    needsService: false,
    serve: (exchange) => exchange.sendText(200, 'application/json', text, headers),
  }));
}
