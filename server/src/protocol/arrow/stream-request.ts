/** A call whose data frame is an Arrow stream: the body is the stream, the URL's query has the rest (W5b). */
import type { Ticket } from '#load/ticket';
import { AppError, invalidParams } from '#model/error';
import type { Columns } from '#model/frame';
import { quote } from '#model/problem-list';
import { runSteps } from '#model/steps';
import {
  invalidRequest,
  noTexts,
  type ParseOptions,
  type Request,
  UnreadParams,
  wholeBytesMax,
} from '../request.ts';
import { readColumns, StreamReader } from './stream-reader.ts';

/** The id of a call that has none in its URL: it is answered all the same, since its errors would be lost. */
const idDefault = 1;

/** Reads requests. One for a service, since it caches the schemas of recent streams. */
export class StreamRequestReader {
  readonly #options: ParseOptions;
  readonly #reader = new StreamReader();

  constructor(options: ParseOptions) {
    this.#options = options;
  }

  /**
   * The call, in steps. Errors of the stream are those of its parameters. `invalid-request` for an incomplete URL; rejects as the
   * ticket does. The memory of the columns is charged to the ticket before they are read.
   */
  async read(bytes: Buffer, query: URLSearchParams, ticket: Ticket): Promise<Request> {
    const { method, id = idDefault, ...params } = readQuery(query);
    const data = await this.#frame(method, bytes, ticket).catch(unreadParams);
    const columns = data instanceof UnreadParams ? null : data;
    const given = columns === null ? data : { ...params, data: { times: columns.timesUs, series: columns } };
    return {
      value: { jsonrpc: '2.0', id, method, params: given },
      idTexts: noTexts,
      hasEscapes: false,
      columns,
    };
  }

  #frame(method: string, bytes: Buffer, ticket: Ticket): Promise<Columns> {
    if (!this.#options.takesColumns(method)) return Promise.reject(noFrame());
    const read = () => this.#columns(bytes, ticket);
    return bytes.length <= wholeBytesMax ? read() : ticket.run('parse', read);
  }

  async #columns(bytes: Buffer, ticket: Ticket): Promise<Columns> {
    const outline = this.#reader.outline(bytes, this.#options.limits.signalsPerCallMax);
    const found = await runSteps(outline, (step) => ticket.step(step));
    await ticket.hold('parsed').take(found.bytes);
    return runSteps(readColumns(bytes, found), (step) => ticket.step(step));
  }
}

/** The members of a query, each given once; `data` is the body. */
function readQuery(query: URLSearchParams): { method: string; id?: string } & Record<string, string> {
  const names = new Set(['data']);
  for (const name of query.keys()) {
    if (names.has(name)) throw invalidRequest(`${quote(name)} is given twice, in the URL or by the body`);
    names.add(name);
  }
  const method = query.get('method');
  if (method !== null) return { ...Object.fromEntries(query), method };
  throw invalidRequest(
    'with an Arrow stream as the body the URL names the method: ?method=integration.insert',
  );
}

function noFrame(): AppError {
  return invalidParams({ data: ['this method takes no Arrow stream; send its call as JSON'] });
}

function unreadParams(error: unknown): UnreadParams {
  if (error instanceof AppError && error.kind === 'invalid-params') return new UnreadParams(error);
  throw error;
}
