/** A message of a broker as a request: its topic gives the method and some parameters, its payload another one (M2). */
import type { Ticket } from '#load/ticket';
import { AppError } from '#model/error';
import { Columns } from '#model/frame';
import { runSteps } from '#model/steps';
import { joinInSteps } from './join-in-steps.ts';
import { noTexts, type Request, type RequestParser, UnreadParams, wholeBytesMax } from './request.ts';

/** JSON text that is the value of a parameter. */
export interface JsonContent {
  /** Of the parameter. */
  name: string;
  bytes: Buffer;
}

/** One message. */
export interface Message {
  method: string;
  /** The parameters besides the content. */
  params: Readonly<Record<string, string>>;
  /** The payload: text to be parsed; a frame for the parameter `data`; or why it could not be read. */
  content: JsonContent | Columns | AppError;
  /** Of the payload, after decompression. */
  bytesIn: number;
}

/** Not echoed: a message has no answer. */
const id = 1;

/** Reads a message; large ones in steps. `parse` when its payload is not JSON; rejects as the ticket does. */
export function readMessage(
  message: Message,
  parser: RequestParser,
  ticket: Ticket,
): Request | Promise<Request> {
  const { method, params, content } = message;
  if (content instanceof AppError) return requestOf(method, new UnreadParams(content));
  if (content instanceof Columns)
    return requestOf(method, { ...params, data: { times: content.timesUs, series: content } });
  const parts = partsOf(message, content);
  if (content.bytes.length > wholeBytesMax) return readLarge(message, content, parts, parser, ticket);
  const parse = () => parser.parse(Buffer.concat(parts));
  return checked(message, content, parse) ?? reparsed(parser, content.bytes);
}

async function readLarge(
  message: Message,
  content: JsonContent,
  parts: readonly Buffer[],
  parser: RequestParser,
  ticket: Ticket,
): Promise<Request> {
  const envelope = await runSteps(joinInSteps(parts), (step) => ticket.step(step));
  const request = await parser.parseInSteps(envelope, ticket);
  if (isIntended(request, message, content)) return request;
  request.columns?.free();
  throw notOneValue();
}

/** A frame that was given is not freed with the request: the call may be made again. */
function requestOf(method: string, params: unknown): Request {
  return {
    value: { jsonrpc: '2.0', id, method, params },
    idTexts: noTexts,
    hasEscapes: false,
    columns: null,
  };
}

/** The parts of the text of the call, in which the parser finds the arrays of a frame. */
function partsOf({ method, params }: Message, { name, bytes }: JsonContent): Buffer[] {
  const others = Object.entries(params).map(
    ([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)},`,
  );
  const head = `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)},"params":{${others.join('')}"${name}":`;
  return [Buffer.from(head), bytes, end];
}

const end = Buffer.from('}}');

function checked(message: Message, content: JsonContent, parse: () => Request): Request | null {
  try {
    const request = parse();
    return isIntended(request, message, content) ? request : null;
  } catch (error) {
    if (error instanceof AppError && error.kind === 'parse') return null;
    throw error;
  }
}

/** Whether the payload was one JSON value: text such as `1}, "x": {` would add members to the call. */
function isIntended({ value }: Request, { method, params }: Message, { name }: JsonContent): boolean {
  if (!isObject(value) || !isObject(value.params)) return false;
  const given = value.params;
  const names = [...Object.keys(params), name];
  return (
    hasExactly(value, ['jsonrpc', 'id', 'method', 'params']) &&
    hasExactly(given, names) &&
    value.method === method &&
    Object.entries(params).every(([key, text]) => given[key] === text)
  );
}

function hasExactly(value: Readonly<Record<string, unknown>>, names: readonly string[]): boolean {
  const keys = Object.keys(value);
  return keys.length === names.length && keys.every((key, at) => key === names[at]);
}

/** Parses the payload alone, for the position of its error. */
function reparsed(parser: RequestParser, bytes: Buffer): never {
  const { columns } = parser.parse(bytes);
  columns?.free();
  throw notOneValue();
}

function notOneValue(): AppError {
  return new AppError('parse', 'Parse error: the payload is not one JSON value');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
