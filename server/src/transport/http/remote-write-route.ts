/** `POST /api/v1/write`: remote write of Prometheus, versions 1.0 and 2.0 (I3). */
import type { Accounts } from '#load/account';
import { AppError } from '#model/error';
import type { Limits } from '#model/limits';
import type { RemoteEndpoint, RemoteOutcome } from '#protocol/remote-write/remote-endpoint';
import type { RemoteVersion } from '#protocol/remote-write/request-reader';
import { versionDefault } from '#protocol/version';
import { type AuthenticateOptions, authenticate } from './authenticate.ts';
import { readBody } from './body.ts';
import type { Exchange } from './exchange.ts';
import { problemOfCall } from './failure.ts';
import { HttpProblem } from './problem.ts';
import { HttpCall } from './rpc-route.ts';

/** Options of the route. */
export interface RemoteWriteOptions extends AuthenticateOptions {
  remote: RemoteEndpoint;
  accounts: Accounts;
  limits: Pick<Limits, 'bodyBytesMax'>;
}

/** Serves one request. */
export async function serveRemoteWrite(options: RemoteWriteOptions, exchange: Exchange): Promise<void> {
  const { authenticator, logins, accounts, limits, remote } = options;
  const caller = await authenticate({ authenticator, logins }, exchange);
  exchange.identify(caller, accounts);
  const version = versionOf(exchange.header('content-type'));
  requireSnappy(exchange.header('content-encoding'));
  const body = await readBody(exchange, limits.bodyBytesMax, false);
  try {
    const call = new HttpCall(exchange, caller, versionDefault);
    const outcome = await remote.write(body.bytes, version, call);
    await sendOutcome(exchange, outcome);
  } catch (error) {
    throw (error instanceof AppError && problemOfCall(error)) || error;
  } finally {
    body.free();
  }
}

/** By the parameter `proto` of the type (2.0); without it 1.0. */
function versionOf(type = 'application/x-protobuf'): RemoteVersion {
  const [name, ...parameters] = type.split(';').map((part) => part.trim().toLowerCase());
  const proto = parameters.find((parameter) => parameter.startsWith('proto='))?.slice('proto='.length);
  if (name === 'application/x-protobuf') {
    if (proto === undefined || proto === 'prometheus.writerequest') return 1;
    if (proto === 'io.prometheus.write.v2.request') return 2;
  }
  throw new HttpProblem(
    415,
    'Content-Type must be application/x-protobuf, with proto=prometheus.WriteRequest or io.prometheus.write.v2.Request',
  );
}

function requireSnappy(encoding = 'snappy'): void {
  if (encoding.trim().toLowerCase() !== 'snappy')
    throw new HttpProblem(415, 'Content-Encoding must be snappy');
}

/** 204, or 400 with what was not stored, so that the sender does not repeat it; the rest is stored then. */
async function sendOutcome(exchange: Exchange, outcome: RemoteOutcome): Promise<void> {
  const { samples, refused, histograms, problems } = outcome;
  const headers = {
    'cache-control': 'no-store',
    'x-prometheus-remote-write-samples-written': String(samples - refused),
    'x-prometheus-remote-write-histograms-written': '0',
    'x-prometheus-remote-write-exemplars-written': '0',
  };
  if (refused === 0 && histograms === 0) return exchange.sendEmpty(204, headers);
  const each = [...problems];
  if (histograms > 0)
    each.push(`${histograms} native histograms: they are not stored; set send_native_histograms to false`);
  const words = `${samples - refused} samples are stored, ${refused} are not: ${each.join('; ')}`;
  await exchange.sendProblem(new HttpProblem(400, words, headers));
}
