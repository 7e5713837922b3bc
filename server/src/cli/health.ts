/** `tidemark health`: checks the health of the service on this machine; for container health checks and scripts. */
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { text } from 'node:stream/consumers';
import { Option } from 'commander';
import type { Config } from '#config';
import { httpUrl } from '#http-url';
import type { Call, CommandBody } from './command.ts';
import { printResult } from './result.ts';
import { CommandError } from './usage.ts';

/** The command. */
export const definition: CommandBody = {
  settings: ['host', 'port'],
  options: [
    new Option(
      '--ready',
      'check whether it can serve requests now, disk included, not only whether it is alive',
    ),
    new Option('--tls', 'use HTTPS (default: when TIDEMARK_TLS_CERT or tlsCert is set)'),
  ],
  action: health,
};

/** Short, since supervisors repeat the check. */
const answerMsMax = 4_000;

/** As the routes /healthz and /readyz answer. */
interface Health {
  status: string;
  reason?: string;
}

async function health(call: Call): Promise<undefined> {
  const { config, options } = call;
  const isTls = options.tls === true || config.settings.tlsCert !== null;
  const url = probeUrl(config.settings, isTls, options.ready === true ? '/readyz' : '/healthz');
  const answer = await ask(url);
  if (answer.status !== 'ok') {
    throw new CommandError(`${url.origin} is not healthy: ${answer.reason ?? 'it gives no reason'}`);
  }
  printResult(call, answer, 'ok');
}

/** Every server answers these routes without the prefix of its base URL too. */
function probeUrl({ host, port }: Config['settings'], isTls: boolean, path: string): URL {
  return new URL(path, httpUrl(host, port, isTls ? 'https' : 'http'));
}

async function ask(url: URL): Promise<Health> {
  const body = await get(url).catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === 'ABORT_ERR' ? `none in ${answerMsMax / 1000} s` : error.code;
    throw new CommandError(`no answer from ${url.origin}: ${reason ?? error.message}`);
  });
  const answer = parse(body);
  if (answer !== null) return answer;
  throw new CommandError(`${url.origin} is not a Tidemark service: its answer has another form`);
}

function get(url: URL): Promise<string> {
  const signal = AbortSignal.timeout(answerMsMax);
  return new Promise((resolve, reject) => {
    // The certificate names the public host, not this machine's loopback; nothing secret is sent or believed.
    const request =
      url.protocol === 'https:'
        ? requestHttps(url, { signal, rejectUnauthorized: false })
        : requestHttp(url, { signal });
    request.on('error', reject);
    request.on('response', (response) => text(response).then(resolve, reject));
    request.end();
  });
}

function parse(body: string): Health | null {
  try {
    const answer: Partial<Health> | null = JSON.parse(body);
    return typeof answer?.status === 'string' ? (answer as Health) : null;
  } catch {
    return null;
  }
}
