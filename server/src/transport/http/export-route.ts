/** `GET /v1/export`: data of any length as a file, as fast as the client reads (X1). */
import type { Accounts } from '#load/account';
import { AppError } from '#model/error';
import type { Exporter } from '#protocol/exporter';
import { type AuthenticateOptions, authenticate } from './authenticate.ts';
import type { Exchange } from './exchange.ts';
import { HttpProblem } from './problem.ts';
import { queryOf } from './query.ts';

/** Options of the route. */
export interface ExportRouteOptions extends AuthenticateOptions {
  exporter: Exporter;
  accounts: Accounts;
}

const compressedTypes = { gzip: 'application/gzip', zstd: 'application/zstd' } as const;

/** Serves one export. It may take longer than other requests, as long as the client reads. */
export async function serveExport(options: ExportRouteOptions, exchange: Exchange): Promise<void> {
  const caller = await authenticate(options, exchange);
  exchange.identify(caller, options.accounts);
  exchange.liftTimeLimit();
  const call = { caller, signal: exchange.signal, ticket: exchange.ticket };
  const file = await options.exporter.open(call, queryOf(exchange.request)).catch(rethrow);
  const headers = {
    'cache-control': 'no-store',
    'content-disposition': `attachment; filename="${file.name}"`,
  };
  const { compression, pieces } = file;
  const type = compression === null ? file.type : compressedTypes[compression];
  if (exchange.request.method === 'HEAD') {
    await pieces.return();
    return exchange.sendEmpty(200, { ...headers, 'content-type': type });
  }
  await exchange.sendPieces(type, pieces, { headers, compression }).catch(rethrow);
}

/** Errors of the request, as problems of HTTP. */
function rethrow(error: unknown): never {
  if (!(error instanceof AppError)) throw error;
  if (error.kind === 'not-permitted') throw new HttpProblem(403, error.message);
  if (error.kind !== 'invalid-params') throw error;
  const params = error.params ?? {};
  const details = Object.entries(params).map(([name, problems]) => `${name}: ${problems.join(', ')}`);
  throw new HttpProblem(400, details.join('; ') || error.message, {}, { params });
}
