/** Routes that anybody may ask without credentials: whether the service is well, and what it offers. */
import type { Documents, OpenRpcDocument } from '#protocol/describe';
import type { Exchange } from './exchange.ts';
import { readVersion } from './rpc-route.ts';

const jsonType = 'application/json';

/** `GET /healthz`: 200 while the service takes calls, else 503 and why not. */
export async function serveHealth(unavailable: string | null, exchange: Exchange): Promise<void> {
  const status = unavailable === null ? 200 : 503;
  const text = JSON.stringify(
    unavailable === null ? { status: 'ok' } : { status: 'unavailable', reason: unavailable },
  );
  await exchange.sendText(status, jsonType, text, { 'cache-control': 'no-store' });
}

/** `GET /livez`: 200 as long as the process answers at all; ending it would help nobody. */
export async function serveLife(exchange: Exchange): Promise<void> {
  await exchange.sendText(200, jsonType, '{"status":"ok"}', { 'cache-control': 'no-store' });
}

const documentTexts = new WeakMap<OpenRpcDocument, string>();

/** Anybody may ask, so it is written once. */
function documentText(document: OpenRpcDocument): string {
  const text = documentTexts.get(document) ?? JSON.stringify(document, null, 2);
  documentTexts.set(document, text);
  return text;
}

/** `GET /openrpc.json`: the document of the version that `?version=` or X-API-Version names. */
export async function serveDocument(documents: Documents, exchange: Exchange): Promise<void> {
  const query = new URL(exchange.request.url ?? '/', 'http://localhost').searchParams.get('version');
  const version = readVersion(query ?? exchange.header('x-api-version'));
  const headers = {
    'x-api-version': version,
    'cache-control': 'no-cache',
    'access-control-allow-origin': '*',
  };
  await exchange.sendText(200, jsonType, documentText(documents.get(version)), headers);
}
