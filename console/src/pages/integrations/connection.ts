/** Tests a new credential in the way a program uses it. Changes and stores nothing. */
import { Client, ServiceError, systemEnvironment } from '@tidemark/client';
import type { CredentialsFile } from '@tidemark/client/wire';
import { compareAddresses } from '../settings/address.ts';
import { connectMqtt, MqttRefusal } from './mqtt-connection.ts';

/** The steps in their order; a Basic pair needs no token, and the broker takes nothing else. */
export type Step = 'address' | 'token' | 'call' | 'mqtt';

/** The result of one step. */
export interface Finding {
  step: Step;
  mood: 'good' | 'warn' | 'bad';
  /** The fault and its remedy; empty if there is none. */
  words: string;
  /** The time until the response started, ms; null if there was no request. */
  ms: number | null;
  /** The message and trace ID of the service; empty if there is no fault. */
  answer: string;
}

/** The time limit, ms; shorter than that of programs. */
const timeoutMs = 15_000;

/** The steps for a credentials file, of a service with a broker or without. */
export function stepsOf({ credentials }: CredentialsFile, hasBroker: boolean): readonly Step[] {
  if (credentials.type !== 'basic-auth') return ['address', 'token', 'call'];
  return hasBroker ? ['address', 'call', 'mqtt'] : ['address', 'call'];
}

/**
 * Runs the steps, and reports each when it is done; stops at the first that fails. `here` is where the browser reaches the
 * service, and the only address to which the secret is sent.
 */
export async function tryConnection(
  file: CredentialsFile,
  here: string,
  steps: readonly Step[],
  report: (finding: Finding) => void,
): Promise<void> {
  report(addressFinding(file.apiUrl, here));
  const isGood = await tryCall(file, here, report);
  if (isGood && steps.includes('mqtt')) await tryMqtt(file, here, report);
}

/** Calls `rpc.discover`, which needs no grant; whether it was answered. */
async function tryCall(
  file: CredentialsFile,
  here: string,
  report: (finding: Finding) => void,
): Promise<boolean> {
  let last: Pick<Finding, 'step' | 'ms'> = { step: 'call', ms: null };
  const ask = async (url: string, init: RequestInit): Promise<Response> => {
    const path = url.slice(file.apiUrl.length);
    const step = path === 'rpc' ? 'call' : 'token';
    const beganMs = systemEnvironment.nowMs();
    const response = await askHere(`${here}v1/${path}`, init).finally(() => {
      last = { step, ms: systemEnvironment.nowMs() - beganMs };
    });
    if (step === 'token' && response.ok) report(good(last));
    return response;
  };
  const environment = { ...systemEnvironment, fetch: ask };
  try {
    await Client.fromFile(file, { retry: { retries: 0 }, timeoutMs, environment }).callAny('rpc.discover');
    report(good(last));
    return true;
  } catch (error) {
    report({ ...last, mood: 'bad', words: adviceFor(error), answer: answerIn(error) });
    return false;
  }
}

/** Over WebSocket: a page in a browser cannot use the ports of the broker. */
async function tryMqtt(
  file: CredentialsFile,
  here: string,
  report: (finding: Finding) => void,
): Promise<void> {
  const beganMs = systemEnvironment.nowMs();
  const step = 'mqtt';
  try {
    await connectMqtt(file, here, timeoutMs);
    report(good({ step, ms: systemEnvironment.nowMs() - beganMs }));
  } catch (error) {
    const words = error instanceof MqttRefusal ? error.message : adviceFor(error);
    report({ step, mood: 'bad', words, ms: systemEnvironment.nowMs() - beganMs, answer: '' });
  }
}

/** Without cookies, so that the secret alone is tested; named, so that the service does not take it for a program (A4). */
function askHere(url: string, init: RequestInit): Promise<Response> {
  const signal = init.signal ?? AbortSignal.timeout(timeoutMs);
  const headers = new Headers(init.headers);
  headers.set('X-Client-Name', 'connection-test');
  return systemEnvironment.fetch(url, { ...init, headers, signal, credentials: 'omit' });
}

function good(facts: Pick<Finding, 'step' | 'ms'>): Finding {
  return { ...facts, mood: 'good', words: '', answer: '' };
}

function addressFinding(apiUrl: string, here: string): Finding {
  const facts = { step: 'address', ms: null, answer: '' } as const;
  const configured = apiUrl.replace(/\/v1\/$/, '');
  const seen = here.replace(/\/$/, '');
  if (!compareAddresses(here, configured).differs) return { ...facts, mood: 'good', words: '' };
  const words =
    `Programs will use ${configured}, which cannot be tested from this page: your browser uses ${seen}, where the other ` +
    `steps were tested. If that is the right address, start the service with --base-url ${seen}.`;
  return { ...facts, mood: 'warn', words };
}

/** The fault and its remedy. */
export function adviceFor(error: unknown): string {
  if (!(error instanceof ServiceError))
    return 'The response is not from this service. If there is a proxy in between, it must forward everything below /v1/.';
  const { kind, status, message, retryAfterMs } = error;
  if (kind === 'network' || kind === 'timeout')
    return 'No answer. Is the service running, and is the network up?';
  if (status === 401)
    return message.includes('is disabled')
      ? 'The integration is disabled. Enable it on its page, then test again.'
      : 'The secret is refused: the credential was revoked, replaced or has expired. Create a new one.';
  if (status === 429 || status === 503)
    return `The service is busy, or the rate limit is exceeded. Wait${retryAfterMs === null ? '' : ` ${Math.ceil(retryAfterMs / 1000)} s`}, then test again.`;
  if (kind === 'http' && (status === 404 || status === 502 || status === 504))
    return 'A proxy in front of the service answered. It must forward everything below /v1/.';
  return 'The service refused the request.';
}

function answerIn(error: unknown): string {
  if (!(error instanceof ServiceError)) return '';
  return error.trace === null ? error.message : `${error.message} (trace ${error.trace})`;
}
