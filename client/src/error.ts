/** What can go wrong with a call, as one class. */

/** Where a call failed: the service rejected it, HTTP did, nothing came back, the certificate is not trusted, or the answer is not one of this interface. */
export type FailureKind = 'rpc' | 'http' | 'network' | 'timeout' | 'certificate' | 'form';

/** Parameter path → what is wrong with the value there. */
export type ParamProblems = Readonly<Record<string, readonly string[]>>;

/** A resource that is, or would become, invalid. */
export interface InvalidResource {
  id?: string;
  type: string;
  message: string;
  invalidFields?: ParamProblems;
}

/** The optional details of a {@link ServiceError}. */
export interface ServiceErrorDetails {
  kind: FailureKind;
  /** The method that was called; empty where a token was asked for. */
  method: string;
  /** Of JSON-RPC, such as -32602; null when the service answered no fault. */
  code?: number | null;
  /** Of HTTP; null when nothing was answered. */
  status?: number | null;
  params?: ParamProblems;
  invalidResources?: readonly InvalidResource[];
  partialResult?: unknown;
  /** Under which the service's log has more; null when nothing was answered. */
  trace?: string | null;
  /** How long the service asks to wait; null when it does not say. */
  retryAfterMs?: number | null;
  /** Whether the service says that the call may have been carried out all the same. */
  isUncertain?: boolean;
  cause?: unknown;
}

/** A call that failed. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly kind: FailureKind;
  /** The method that was called; empty where a token was asked for. */
  readonly method: string;
  /** Of JSON-RPC, such as -32602; null when the service answered no fault. */
  readonly code: number | null;
  /** Of HTTP; null when nothing was answered. */
  readonly status: number | null;
  /** What is wrong with which parameter. */
  readonly params: ParamProblems;
  readonly invalidResources: readonly InvalidResource[];
  readonly partialResult: unknown;
  /** Under which the service's log has more; null when nothing was answered. */
  readonly trace: string | null;
  /** How long the service asks to wait; null when it does not say. */
  readonly retryAfterMs: number | null;
  /** Whether the service says that the call may have been carried out all the same. */
  readonly isUncertain: boolean;

  constructor(message: string, details: ServiceErrorDetails) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.kind = details.kind;
    this.method = details.method;
    this.code = details.code ?? null;
    this.status = details.status ?? null;
    this.params = details.params ?? {};
    this.invalidResources = details.invalidResources ?? [];
    this.partialResult = details.partialResult;
    this.trace = details.trace ?? null;
    this.retryAfterMs = details.retryAfterMs ?? null;
    this.isUncertain = details.isUncertain ?? false;
  }
}

/** The `error` member of an answer. */
export interface Fault {
  code: number;
  message: string;
  data?: {
    trace?: string;
    params?: ParamProblems;
    invalidResources?: InvalidResource[];
    partialResult?: unknown;
  };
}

/** The error that a JSON-RPC fault is. */
export function faultError(
  method: string,
  { code, message, data = {} }: Fault,
  response: Response,
): ServiceError {
  const retryAfterMs = readRetryAfter(response.headers);
  return new ServiceError(describe(message, data.params), {
    kind: 'rpc',
    method,
    code,
    status: response.status,
    ...data,
    retryAfterMs,
  });
}

/** The first problems belong to the message: it is what people see in their logs. */
function describe(message: string, params: ParamProblems = {}): string {
  const problems = Object.entries(params)
    .slice(0, 3)
    .map(([path, texts]) => `${path === '' ? 'params' : path}: ${texts.join(', ')}`);
  return [message, ...problems].join('; ');
}

/** The error that an HTTP answer is which carries no call's answer; reads its body. */
export async function httpError(method: string, response: Response): Promise<ServiceError> {
  const text = await response.text().catch(() => '');
  const problem = parseObject(text);
  const words = problem.detail ?? problem.error_description ?? problem.title ?? response.statusText;
  return new ServiceError(`HTTP ${response.status}${words ? `: ${words}` : ''}`, {
    kind: 'http',
    method,
    status: response.status,
    trace: typeof problem.trace === 'string' ? problem.trace : traceOf(response.headers),
    params: (problem.params as ParamProblems | undefined) ?? {},
    retryAfterMs: readRetryAfter(response.headers),
    isUncertain: problem.uncertain === true,
  });
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function traceOf(headers: Headers): string | null {
  return headers.get('traceparent')?.split('-')[1] ?? null;
}

/** Retry-After in milliseconds: seconds, or a date, which is compared with the answer's own; null when it says nothing. */
export function readRetryAfter(headers: Headers): number | null {
  const text = headers.get('retry-after');
  if (text === null) return null;
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const wait = Date.parse(text) - Date.parse(headers.get('date') ?? '');
  return Number.isNaN(wait) ? null : Math.max(0, wait);
}

/** The error where an address answers something else than this interface. */
export function notThisInterface(method: string, url: string, status: number): ServiceError {
  return new ServiceError(`${url} is not a Tidemark service: its answer has another form`, {
    kind: 'form',
    method,
    status,
  });
}
