/** A browser as far as the console's sessions go: keeps its cookie and its CSRF token. */
import type { AnswerBody } from './http.ts';
import { goodPassword } from './people.ts';
import { type ServiceTestOptions, type ServiceUnderTest, serviceOfFile } from './service.ts';

/** What `GET console/session` answers. */
export interface SessionBody {
  status: 'setup' | 'anonymous' | 'signed-in';
  instance: { name: string; color: string; timeZone: string; version?: string };
  person?: { id: string; name: string; role: string };
  csrfToken?: string;
}

/** One browser. */
export class Browser {
  readonly #url: string;
  /** The header Cookie; empty: none. */
  cookie = '';
  csrfToken = '';

  constructor(url: string) {
    this.#url = url;
  }

  /** Sends a request to a path below the service, with the cookie. */
  async send(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    const response = await fetch(`${this.#url}/${path}`, {
      method,
      headers: {
        ...(this.cookie === '' ? {} : { cookie: this.cookie }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const [pair] = response.headers.get('set-cookie')?.split(';') ?? [];
    if (pair !== undefined) this.cookie = pair.endsWith('=') ? '' : pair;
    return response;
  }

  /** Who is signed in. */
  async session(): Promise<SessionBody> {
    return this.#note(await this.send('GET', 'console/session'));
  }

  /** Signs in; the answer must be 200. */
  async signIn(name: string, password = goodPassword): Promise<SessionBody> {
    return this.#note(await this.send('POST', 'console/session', { name, password }));
  }

  /** Makes the first administrator; the answer must be 200. */
  async setUp(body: object): Promise<SessionBody> {
    return this.#note(await this.send('POST', 'console/setup', body));
  }

  /** Calls a method of version 1.2; the answer must be HTTP 200. */
  async call(method: string, params: unknown = {}): Promise<AnswerBody> {
    const headers = { 'x-csrf-token': this.csrfToken, 'x-api-version': '1.2' };
    const response = await this.send('POST', 'v1/rpc', { jsonrpc: '2.0', id: 1, method, params }, headers);
    if (response.status !== 200) throw new Error(`HTTP ${response.status}: ${await response.text()}`);
    return (await response.json()) as AnswerBody;
  }

  /** Calls a method that must succeed; its result. */
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever the method answers.
  async result(method: string, params: unknown = {}): Promise<any> {
    const { result, error } = await this.call(method, params);
    if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result;
  }

  async #note(response: Response): Promise<SessionBody> {
    if (response.status !== 200) throw new Error(`HTTP ${response.status}: ${await response.text()}`);
    const body = (await response.json()) as SessionBody;
    this.csrfToken = body.csrfToken ?? '';
    return body;
  }
}

/** A browser in which Ada is signed in, the first administrator. */
export async function adaAt(service: ServiceUnderTest): Promise<Browser> {
  const browser = new Browser(service.url);
  await browser.setUp({ code: service.signIns.setupCode(), name: 'Ada', password: goodPassword });
  return browser;
}

/** A browser in which Vic is signed in, a viewer. */
export async function vicAt(service: ServiceUnderTest): Promise<Browser> {
  await service.people.create(
    { actor: 'test', origin: 'test' },
    { name: 'Vic', password: goodPassword, role: 'viewer' },
  );
  const browser = new Browser(service.url);
  await browser.signIn('Vic');
  return browser;
}

/** A service for the tests of one file, with a browser of an administrator and one of a viewer. */
export async function consoleOfFile(options?: ServiceTestOptions) {
  const service = await serviceOfFile(options);
  return { service, ada: await adaAt(service), vic: await vicAt(service) };
}
