/** A person at the console, as the browser calls: with a cookie and a token against forgery. */

import { setTimeout as sleep } from 'node:timers/promises';

/** Calls in the name of a person who is signed in. */
export class ConsoleSession {
  readonly #url: URL;
  readonly #headers: Record<string, string>;

  constructor(url: URL, cookie: string, csrfToken: string) {
    this.#url = url;
    const json = { 'content-type': 'application/json', 'x-api-version': '1.2' };
    this.#headers = { ...json, cookie, 'x-csrf-token': csrfToken };
  }

  /** What shows who calls, as headers of HTTP, each with its end of line. */
  get headerText(): string {
    const { cookie, 'x-csrf-token': token } = this.#headers;
    return `Cookie: ${cookie}\r\nX-CSRF-Token: ${token}\r\n`;
  }

  /** Calls a method; throws when it is refused. */
  async call(method: string, params: object): Promise<unknown> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const answer = await fetch(this.#url, { method: 'POST', headers: this.#headers, body });
    const { result, error } = (await answer.json()) as { result?: unknown; error?: unknown };
    if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result;
  }
}

/** Signs a person in, once there is one: the service makes its administrator after it listens. `url` is that of the calls. */
export async function signIn(url: URL, name: string, password: string): Promise<ConsoleSession> {
  while ((await stateOf(url)) === 'setup') await sleep(50);
  const answer = await fetch(new URL('/console/session', url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name, password }),
  });
  if (!answer.ok) throw new Error(`sign-in: HTTP ${answer.status}: ${await answer.text()}`);
  const [cookie] = answer.headers.get('set-cookie')?.split(';') ?? [];
  const { csrfToken } = (await answer.json()) as { csrfToken: string };
  return new ConsoleSession(url, cookie, csrfToken);
}

async function stateOf(url: URL): Promise<string> {
  const answer = await fetch(new URL('/console/session', url));
  return ((await answer.json()) as { status: string }).status;
}
