/** JSON-RPC 2.0 (W1-W5): parses requests, calls methods and serialises answers. */
import type { Soon } from '#load/account';
import { Overload } from '#load/overload';
import type { CallKind } from '#load/ticket';
import type { Log, Stopwatch } from '#model/environment';
import { AppError, bug, stackOf } from '#model/error';
import type { Limits } from '#model/limits';
import { ProblemList } from '#model/problem-list';
import { RateExceeded } from '#model/rate-exceeded';
import type { RateStatus } from '#model/rate-status';
import { runSteps, type Steps } from '#model/steps';
import { type Answer, type CallAnswer, FrameStream, faultAnswer, successAnswer } from './answer.ts';
import { StreamRequestReader } from './arrow/stream-request.ts';
import { Documents, type ServiceInfo } from './describe.ts';
import { type Fault, toFault } from './fault.ts';
import { type Message, readMessage } from './message.ts';
import type { Call, Method } from './method.ts';
import type { CallOutcome } from './outcome.ts';
import { mayCall } from './permission.ts';
import {
  type Envelope,
  idTextOf,
  invalidRequest,
  type ParseOptions,
  type Request,
  RequestParser,
  readEnvelope,
  UnreadParams,
  wholeBytesMax,
} from './request.ts';
import { type Route, Router } from './router.ts';

/** Options of {@link Rpc}. */
export interface RpcOptions {
  methods: readonly Method[];
  /** What documents say about the service; its namespaces are those that calls may use. */
  info: ServiceInfo;
  /** Read at each call. */
  limits: Pick<Limits, 'batchCallsMax' | 'paramsLevelsMax'> & ParseOptions['limits'];
  log: Log;
  stopwatch: Stopwatch;
  /** Called after every call. */
  onCall?: (outcome: CallOutcome) => void;
}

/** The result of a call, or its fault. */
interface Performed {
  fault?: Fault;
  result: unknown;
}

/** Answers requests, from any transport. */
export class Rpc {
  /** The OpenRPC documents of the methods. */
  readonly documents: Documents;
  readonly #router: Router;
  readonly #parser: RequestParser;
  readonly #streams: StreamRequestReader;
  readonly #options: RpcOptions;

  /** Throws at once if definitions overlap. */
  constructor(options: RpcOptions) {
    const { methods, info } = options;
    this.documents = new Documents(methods, info);
    this.#router = new Router([...methods, this.documents.discoverMethod()], info.namespaces);
    this.#options = options;
    const takesColumns = (method: string) => this.#router.takesColumns(method);
    const reading = { takesColumns, limits: options.limits };
    this.#parser = new RequestParser(reading);
    this.#streams = new StreamRequestReader(reading);
  }

  /**
   * Answers the bytes of a request; null when it has only notifications (W2, W3). The answers of a batch are produced one by one;
   * the caller stops iterating when the client has disconnected. Rejects only with {@link Overload}, `RateExceeded` or
   * `unavailable`, when a single call is rejected. `onRead` says that the bytes are not needed any more.
   */
  answer(bytes: Buffer, call: Call, onRead: () => void = () => {}): Promise<Answer | null> {
    const answerRead = (read: () => Request): Soon<Answer | null> =>
      call.ticket.stepSoon<Answer | null>(() => {
        const request = read();
        onRead();
        return this.#answerRequest(request, call);
      });
    return this.#answerBody(bytes, call, () => {
      if (bytes.length <= wholeBytesMax) return answerRead(() => this.#parser.parse(bytes));
      const reading = this.#parser.parseInSteps(bytes, call.ticket);
      return reading.then((request) => answerRead(() => request));
    });
  }

  /** The same for a call whose data frame is an Arrow stream, and whose other parameters are in the URL (W5b). */
  answerStream(bytes: Buffer, query: URLSearchParams, call: Call): Promise<Answer | null> {
    return this.#answerBody(bytes, call, async () => {
      const request = await this.#streams.read(bytes, query, call.ticket);
      return call.ticket.step(() => this.#answerRequest(request, call));
    });
  }

  /** Makes the call that a message of a broker is (M2). Null when it succeeded, else its fault; rejects as {@link answer}. */
  async answerMessage(message: Message, call: Call): Promise<Fault | null> {
    call.ticket.account.noteBody(message.bytesIn);
    let request: Request;
    try {
      request = await readMessage(message, this.#parser, call.ticket);
    } catch (error) {
      if (isForAll(error)) throw error;
      return this.refuse(error, call);
    }
    try {
      const envelope = readEnvelope(request.value, request);
      const { fault } = await call.ticket.step(() => this.#perform(envelope, request, call));
      return fault ?? null;
    } finally {
      request.columns?.free();
    }
  }

  /** Reports a message, or a part of a request, that could not become a call; its fault. */
  refuse(error: unknown, call: Call, idText = 'null'): Fault {
    const fault = this.#fault(error, call, '');
    this.#reportOutcome(call, null, idText, fault, this.#options.stopwatch.elapsedMs());
    return fault;
  }

  /**
   * Does the work of a request that is a call of a method in another form, `bytes` long: with the method's permission, rates and
   * records. Rejects with what the call rejects with; an error that is not the caller's is a bug. `refusalOf` gives what is recorded
   * as the error of a request of which only a part was done.
   */
  async runAs<T>(
    name: string,
    bytes: number,
    call: Call,
    work: () => Promise<T>,
    refusalOf: (result: T) => AppError | null = () => null,
  ): Promise<T> {
    call.ticket.account.noteBody(bytes);
    const startMs = this.#options.stopwatch.elapsedMs();
    const route = this.#router.find(name, call.version);
    let fault: Fault | undefined;
    try {
      await this.#admit(route.method, call);
      const result = await work();
      const refusal = refusalOf(result);
      if (refusal !== null) fault = this.#fault(refusal, call, name);
      return result;
    } catch (error) {
      fault = this.#fault(error, call, name);
      if (error instanceof RateExceeded) noteRate(call, error.status);
      throw error;
    } finally {
      this.#reportOutcome(call, route, null, fault, startMs);
    }
  }

  async #answerBody(bytes: Buffer, call: Call, answer: () => Soon<Answer | null>): Promise<Answer | null> {
    call.ticket.account.noteBody(bytes.length);
    try {
      return await answer();
    } catch (error) {
      if (isForAll(error)) throw error;
      return this.#answerUncalled('null', error, call);
    }
  }

  #answerRequest(request: Request, call: Call): Promise<Answer | null> {
    const { value, columns } = request;
    if (Array.isArray(value)) return this.#answerBatch(value, request, call);
    const answering = this.#answerOne(value, request, call);
    return columns === null ? answering : answering.finally(() => columns.free());
  }

  async #answerBatch(calls: readonly unknown[], request: Request, call: Call): Promise<Answer | null> {
    const max = this.#options.limits.batchCallsMax;
    if (calls.length === 0 || calls.length > max) {
      const error = invalidRequest(`a batch must have 1 to ${max} calls, got ${calls.length}`);
      return this.#answerUncalled('null', error, call);
    }
    const answers = this.#batchAnswers(calls, request, call);
    if (!calls.every((value) => isNotification(value, request))) return answers;
    await answers.next();
    return null;
  }

  /** Runs the calls of a batch sequentially: later calls see the effects of earlier ones, whose memory has been released. */
  async *#batchAnswers(
    calls: readonly unknown[],
    request: Request,
    call: Call,
  ): AsyncGenerator<CallAnswer, void, void> {
    let separator = '[';
    for (const value of calls) {
      const answer = await call.ticket.step(() => this.#answerOne(value, request, call));
      if (answer !== null && !(answer instanceof FrameStream)) {
        yield [separator, ...answer];
        separator = ',';
      }
      call.ticket.endCall();
    }
    if (separator === ',') yield [']'];
  }

  async #answerOne(value: unknown, request: Request, call: Call): Promise<CallAnswer | FrameStream | null> {
    let envelope: Envelope;
    try {
      envelope = readEnvelope(value, request);
    } catch (error) {
      return this.#answerUncalled(idTextOf(value, request), error, call);
    }
    const { idText } = envelope;
    const { fault, result } = await this.#perform(envelope, request, call);
    if (idText === null) return null;
    if (fault !== undefined) return faultAnswer(idText, fault);
    const frame = call.wantsArrow && !isBatch(request) ? FrameStream.of(result) : null;
    return frame ?? successAnswer(idText, result);
  }

  /** Runs one call and reports its outcome. Rejects as {@link answer} with what is answered for a whole request. */
  async #perform(envelope: Envelope, request: Request, call: Call): Promise<Performed> {
    const { idText, method } = envelope;
    const startMs = this.#options.stopwatch.elapsedMs();
    let route: Route | null = null;
    let fault: Fault | undefined;
    try {
      if (isBatch(request)) call.signal.throwIfAborted();
      route = this.#router.find(method, call.version);
      return { result: await this.#run(route, envelope, request.hasEscapes, call) };
    } catch (error) {
      fault = this.#fault(error, call, method, idText === null);
      if (error instanceof RateExceeded) noteRate(call, error.status);
      if (isForAll(error) && !isBatch(request)) throw error;
      return { fault, result: undefined };
    } finally {
      this.#reportOutcome(call, route, idText, fault, startMs);
    }
  }

  /** The answer to an invalid call. */
  #answerUncalled(idText: string, error: unknown, call: Call): CallAnswer {
    return faultAnswer(idText, this.refuse(error, call, idText));
  }

  /** Checks permission before parameters, so that callers do not learn the parameters of methods they may not call. */
  async #run(route: Route, envelope: Envelope, texts: boolean, call: Call): Promise<unknown> {
    const { method } = route;
    const admitting = this.#admit(method, call);
    if (admitting !== null) await admitting;
    if (envelope.params instanceof UnreadParams) throw envelope.params.error;
    const { paramsLevelsMax: levelsMax, signalsPerCallMax: membersMax } = this.#options.limits;
    const read = route.readParams(envelope.params, { levelsMax, membersMax, texts });
    try {
      if (read.refusal !== null) throw await refusalOf(read.refusal, method, call, read.params);
      return await runPlaced(method, call, read.params, new ProblemList());
    } catch (error) {
      throw read.spelt(error);
    }
  }

  /** Null when it is known at once that the call may go on. */
  #admit(method: Method, call: Call): Promise<void> | null {
    if (!mayCall(call.caller, method)) throw new AppError('not-permitted', 'Operation not permitted');
    const admitting = call.ticket.account.admit(method.name);
    if (admitting instanceof Promise) return admitting.then((rate) => noteRate(call, rate));
    noteRate(call, admitting);
    return null;
  }

  #reportOutcome(
    call: Call,
    route: Route | null,
    idText: string | null,
    fault: Fault | undefined,
    startMs: number,
  ): void {
    const load = route === null ? null : kindOf(route.method);
    const durationMs = this.#options.stopwatch.elapsedMs() - startMs;
    const code = fault?.code ?? 0;
    this.#options.onCall?.({
      call,
      method: route?.name ?? null,
      load,
      idText,
      code,
      fault,
      startMs,
      durationMs,
    });
    call.plan = undefined;
  }

  /** Converts an error to a fault, and logs the details that the fault omits (E4). */
  #fault(error: unknown, call: Call, method: string, isSilent = false): Fault {
    const worded = isAbort(error, call) ? givenUp(error) : error;
    const fields = {
      trace: call.traceId,
      method: methodForLog(method),
      integration: call.caller.integration,
    };
    if (worded instanceof AppError) this.#logFailure(worded, fields, isSilent);
    else this.#options.log.error('internal error', { ...fields, error: stackOf(worded) });
    return toFault(worded, call.traceId);
  }

  /** Logs errors with internal details, and errors of notifications, which have no answer (W2). */
  #logFailure(error: AppError, fields: Record<string, unknown>, isSilent: boolean): void {
    const { kind, detail, params = {} } = error;
    const all = { ...fields, kind, params: Object.keys(params), detail };
    if (detail !== undefined) this.#options.log.warn('call failed', all);
    else if (isSilent) this.#options.log.info('notification failed', all);
    else this.#options.log.debug('call failed', all);
  }
}

/** The requested method name if it has the form of one; any other text may be a misplaced secret. */
function methodForLog(name: string): string {
  return /^[a-z]{1,32}(\.[a-z]{1,32}){1,2}$/i.test(name) ? name : '(not a name)';
}

function kindOf(method: Method): CallKind {
  return method.load ?? 'change';
}

function noteRate(call: Call, rate: RateStatus | null): void {
  if (rate !== null && rate.left <= (call.rate?.left ?? Number.POSITIVE_INFINITY)) call.rate = rate;
}

/** The call's memory is held until its answer has been sent, its slot in a lane until the result is available. */
async function runPlaced(
  method: Method,
  call: Call,
  params: unknown,
  problems: ProblemList,
): Promise<unknown> {
  const kind = kindOf(method);
  if (kind === 'insert') return method.run(call, params, problems);
  const entering = call.ticket.enter(kind);
  const place = entering instanceof Promise ? await entering : entering;
  call.memory = place.memory;
  try {
    return await method.run(call, params, problems);
  } finally {
    place.end();
  }
}

/** The error of a call whose parameters are wrong by name or type, with what is wrong with the others (E2). */
async function refusalOf(
  steps: Steps<ProblemList>,
  method: Method,
  call: Call,
  params: unknown,
): Promise<AppError> {
  const problems = await runSteps(steps, (step) => call.ticket.step(step), call.signal);
  if (!method.checksFirst || problems.isFull) return problems.toError();
  const error = await runPlaced(method, call, params, new ProblemList(problems)).then(
    () => bug(`${method.name} ran with parameters that are wrong`),
    (error: unknown) => error,
  );
  const further = new ProblemList(problems);
  if (error instanceof AppError && error.kind === 'invalid-params') further.take(error);
  else if (!(error instanceof AppError || isForAll(error))) throw error;
  problems.takeAll(further);
  return problems.toError();
}

function isNotification(value: unknown, request: Request): boolean {
  try {
    return readEnvelope(value, request).idText === null;
  } catch {
    return false;
  }
}

/** Whether an error of a single call is answered as an HTTP error (E3). */
function isForAll(error: unknown): boolean {
  const isUnavailable = error instanceof AppError && error.kind === 'unavailable';
  return isUnavailable || error instanceof Overload || error instanceof RateExceeded;
}

function isBatch(request: Request): boolean {
  return Array.isArray(request.value);
}

/** Whether a call ended because it was aborted. */
function isAbort(error: unknown, call: Call): boolean {
  const isAbortError = error instanceof Error && error.name === 'AbortError';
  return (
    !(error instanceof AppError) && call.signal.aborted && (isAbortError || error === call.signal.reason)
  );
}

function givenUp(cause: unknown): AppError {
  return new AppError('try-again', 'Try again: the call took too long and was given up', { cause });
}
