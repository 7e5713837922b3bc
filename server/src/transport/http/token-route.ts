/** `POST /v1/oauth/token` and `POST /oauth/token`: the token endpoint (A2). */
import type { TokenEndpoint, TokenReply } from '#protocol/oauth';
import { readBody } from './body.ts';
import type { Exchange, Headers } from './exchange.ts';
import { isForm } from './form.ts';

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
