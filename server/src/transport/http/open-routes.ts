/** Routes that need no credentials: health, and the description of the API. */
import type { Documents, OpenRpcDocument } from '#protocol/describe';
import { type Encoding, encodeAll, encodingFor } from './encoding.ts';
import type { Exchange } from './exchange.ts';
import { readVersion } from './rpc-route.ts';

const jsonType = 'application/json';

/** `GET /healthz`: 200 while the service accepts calls, else 503 with the reason. */
export async function serveHealth(unavailable: string | null, exchange: Exchange): Promise<void> {
  const status = unavailable === null ? 200 : 503;
  const text = JSON.stringify(
    unavailable === null ? { status: 'ok' } : { status: 'unavailable', reason: unavailable },
  );
  await exchange.sendText(status, jsonType, text, { 'cache-control': 'no-store' });
}

/** `GET /livez`: always 200, so that the process is restarted only if it does not answer at all. */
export async function serveLife(exchange: Exchange): Promise<void> {
  await exchange.sendText(200, jsonType, '{"status":"ok"}', { 'cache-control': 'no-store' });
}

/** Serialises and compresses each document only once, since the route needs no credentials. */
const documentBytes = new WeakMap<OpenRpcDocument, Map<Encoding | null, Promise<Buffer>>>();

function bytesOf(document: OpenRpcDocument, encoding: Encoding | null): Promise<Buffer> {
  const forms = documentBytes.getOrInsertComputed(document, () => new Map());
  return forms.getOrInsertComputed(encoding, async () =>
    encoding === null
      ? Buffer.from(JSON.stringify(document, null, 2))
      : encodeAll(encoding, await bytesOf(document, null)),
  );
}

/** `GET /openrpc.json`: the document of the version that `?version=` or X-API-Version names. */
export async function serveDocument(documents: Documents, exchange: Exchange): Promise<void> {
  const query = new URL(exchange.request.url ?? '/', 'http://localhost').searchParams.get('version');
  const version = readVersion(query ?? exchange.header('x-api-version'));
  const encoding = encodingFor(exchange.header('accept-encoding'));
  const bytes = await bytesOf(documents.get(version), encoding);
  const headers = {
    'content-type': jsonType,
    vary: 'accept-encoding',
    ...(encoding === null ? {} : { 'content-encoding': encoding }),
    'x-api-version': version,
    'cache-control': 'no-cache',
    'access-control-allow-origin': '*',
  };
  // Copying a document to the socket is the work of a step: many clients may ask at one time.
  await exchange.ticket.step(() => exchange.sendBytes(200, bytes, headers));
}
