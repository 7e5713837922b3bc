/** `GET` and `POST /v1/export`: data of any length as a file, as fast as the client reads (X1, X1b). */
import type { Accounts } from '#load/account';
import type { Caller } from '#model/caller';
import { AppError } from '#model/error';
import type { Exporter } from '#protocol/exporter';
import { type AuthenticateOptions, authenticate } from './authenticate.ts';
import { readBody } from './body.ts';
import type { Exchange } from './exchange.ts';
import { formType, isForm } from './form.ts';
import { HttpProblem } from './problem.ts';
import { queryOf } from './query.ts';

/** Options of the route. */
export interface ExportRouteOptions extends AuthenticateOptions {
  exporter: Exporter;
  accounts: Accounts;
}

const compressedTypes = { gzip: 'application/gzip', zstd: 'application/zstd' } as const;

/** Parameters with some 6,000 IDs. */
const formBytesMax = 128 * 1024;

/** The field of a form that stands in for the header X-CSRF-Token, which a form cannot send. */
const tokenField = 'csrfToken';

/** Serves one export. It may take longer than other requests, as long as the client reads. */
export async function serveExport(options: ExportRouteOptions, exchange: Exchange): Promise<void> {
  const caller = await authenticate(options, exchange);
  await sendFile(options, exchange, caller, queryOf(exchange.request));
}

/** The same with the parameters in a form: for browsers, which save what a form is answered, and for long lists of IDs. */
export async function serveExportForm(options: ExportRouteOptions, exchange: Exchange): Promise<void> {
  if (!isForm(exchange.header('content-type')))
    throw new HttpProblem(415, `Content-Type must be ${formType}`);
  const { bytes, free } = await readBody(exchange, formBytesMax);
  const query = new URLSearchParams(bytes.toString('utf8'));
  free();
  const token = query.get(tokenField) ?? undefined;
  query.delete(tokenField);
  const header = (name: string) => exchange.header(name) ?? (name === 'x-csrf-token' ? token : undefined);
  const { address, origin } = exchange;
  const caller = await authenticate(options, { header, address, origin });
  await sendFile(options, exchange, caller, query);
}

async function sendFile(
  { accounts, exporter }: ExportRouteOptions,
  exchange: Exchange,
  caller: Caller,
  query: URLSearchParams,
): Promise<void> {
  exchange.identify(caller, accounts);
  exchange.liftTimeLimit();
  const call = { caller, signal: exchange.signal, ticket: exchange.ticket };
  const file = await exporter.open(call, query).catch(rethrow);
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
