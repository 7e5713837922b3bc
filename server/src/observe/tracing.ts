/**
 * Spans for OpenTelemetry, when an SDK was loaded before the service (`node --import …`); without one no spans are created. A
 * request is a span, its calls are child spans; names and attributes follow OpenTelemetry's conventions for HTTP and JSON-RPC.
 */
import {
  type Attributes,
  type Context,
  context,
  isSpanContextValid,
  ProxyTracerProvider,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { partyOf } from '#model/caller';
import type { CallOutcome } from '#protocol/outcome';
import { parseTraceparent } from '#protocol/trace';
import type { RequestSpan, RequestTracer } from '#transport/http/observer';

/** A request id is chosen by the client and may be any text. */
const idCharactersMax = 64;

/** Creates the spans. */
export class Tracing implements RequestTracer {
  readonly #tracer: Tracer;

  private constructor(tracer: Tracer) {
    this.#tracer = tracer;
  }

  /** Null when no SDK has registered itself. */
  static open(programVersion: string): Tracing | null {
    const provider = trace.getTracerProvider();
    const isIdle =
      provider instanceof ProxyTracerProvider && provider.getDelegateTracer('tidemark') === undefined;
    return isIdle ? null : new Tracing(trace.getTracer('tidemark', programVersion));
  }

  /** If an HTTP instrumentation has already created a span, that one is used. */
  begin(request: { method: string; route: string | null; traceparent: string | undefined }): RequestSpan {
    const active = trace.getActiveSpan();
    if (active !== undefined) return new KnownSpan(active.spanContext());
    const { method, route, traceparent } = request;
    const parent = parentOf(traceparent);
    const span = this.#tracer.startSpan(
      route === null ? method : `${method} ${route}`,
      {
        kind: SpanKind.SERVER,
        attributes: { 'http.request.method': method, 'http.route': route ?? undefined },
      },
      parent,
    );
    return new OwnSpan(span, trace.setSpan(parent, span));
  }

  /** The span of a finished call, a child of its request's span. */
  onCall({ call, method, idText, code, startMs, durationMs }: CallOutcome): void {
    const attributes: Attributes = {
      'rpc.system.name': 'jsonrpc',
      'rpc.method': method ?? '_OTHER',
      'jsonrpc.protocol.version': '2.0',
      'jsonrpc.request.id':
        idText === null ? undefined : String(JSON.parse(idText)).slice(0, idCharactersMax),
      'rpc.response.status_code': code === 0 ? undefined : String(code),
      'error.type': code === 0 ? undefined : String(code),
      'tidemark.api.version': call.version,
      'tidemark.caller': partyOf(call.caller),
    };
    const startTime = performance.timeOrigin + startMs;
    const span = this.#tracer.startSpan(method ?? '_OTHER', { kind: SpanKind.SERVER, startTime, attributes });
    if (code !== 0) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(startTime + durationMs);
  }
}

/** Parsed here, not by the SDK's propagator, so that the response does not depend on which one is installed. */
function parentOf(traceparent: string | undefined): Context {
  const parent = traceparent === undefined ? null : parseTraceparent(traceparent);
  if (parent === null) return context.active();
  const { traceId, parentId: spanId, flags: traceFlags } = parent;
  return trace.setSpanContext(context.active(), { traceId, spanId, traceFlags, isRemote: true });
}

function traceOf(spanContext: SpanContext): RequestSpan['trace'] {
  if (!isSpanContextValid(spanContext)) return null;
  const { traceId, spanId, traceFlags } = spanContext;
  return { traceId, traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}` };
}

/** A span created here. */
class OwnSpan implements RequestSpan {
  readonly trace: RequestSpan['trace'];
  readonly #span: Span;
  readonly #context: Context;

  constructor(span: Span, inside: Context) {
    this.trace = traceOf(span.spanContext());
    this.#span = span;
    this.#context = inside;
  }

  run<T>(work: () => T): T {
    return context.with(this.#context, work);
  }

  end(status: number): void {
    this.#span.setAttribute('http.response.status_code', status);
    if (status === 0 || status >= 500) this.#span.setStatus({ code: SpanStatusCode.ERROR });
    this.#span.end();
  }
}

/** A span that an instrumentation has created and will end. */
class KnownSpan implements RequestSpan {
  readonly trace: RequestSpan['trace'];

  constructor(spanContext: SpanContext) {
    this.trace = traceOf(spanContext);
  }

  run<T>(work: () => T): T {
    return work();
  }

  end(): void {}
}
