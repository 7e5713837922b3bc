/** The people of the tests, and their way in without a browser. */
import type { BrowserContext } from 'playwright-core';
import type { RunningService } from './service.ts';

/** The first administrator. */
export const ada = { name: 'Ada', password: 'a tide rises twice a day' } as const;

/** Sets the service up over its own route and signs the browser in. */
export async function setUp(
  { url, setupCode }: RunningService,
  context: BrowserContext,
  demo: boolean,
): Promise<string> {
  const response = await context.request.post(`${url}/console/setup`, {
    headers: { origin: new URL(url).origin },
    data: { code: setupCode, ...ada, instanceName: 'Harbour works', timeZone: 'Europe/Berlin', demo },
    timeout: 120_000,
  });
  if (!response.ok()) throw new Error(`set-up answered ${response.status()}: ${await response.text()}`);
  return ((await response.json()) as { csrfToken: string }).csrfToken;
}

/** Calls a method with the session of the browser; the result. */
export async function callAs(
  { url }: RunningService,
  context: BrowserContext,
  csrfToken: string,
  method: string,
  params: object = {},
): Promise<unknown> {
  const response = await context.request.post(`${url}/v1/rpc`, {
    headers: { 'x-api-version': '1.2', 'x-csrf-token': csrfToken, origin: new URL(url).origin },
    data: { jsonrpc: '2.0', id: 1, method, params },
  });
  const answer = (await response.json()) as { result?: unknown; error?: unknown };
  if (answer.error) throw new Error(`${method}: ${JSON.stringify(answer.error)}`);
  return answer.result;
}
