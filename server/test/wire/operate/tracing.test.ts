/** Spans, with the SDK of OpenTelemetry loaded as an operator would load it: before the service. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node';
import { limitDefaults } from '#model/limits';
import { Observation } from '#observe/observation';
import { type HttpUnderTest, startHttp } from '../../support/http.ts';
import { KeptLog } from '../../support/world.ts';
import { testMethods } from '../protocol/methods.ts';

const exporter = new InMemorySpanExporter();
const log = new KeptLog();

/** Before an SDK is there nothing is traced; afterwards everything is. */
assert.equal(new Observation({ version: '1', limits: limitDefaults, log }).tracing, null);
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
provider.register();
after(() => provider.shutdown());

async function traced(run: (http: HttpUnderTest) => Promise<Response>): Promise<[Response, ReadableSpan[]]> {
  const observation = new Observation({ version: '1', limits: limitDefaults, log });
  const http = await startHttp({ methods: testMethods, observation, log });
  try {
    exporter.reset();
    const response = await run(http);
    await response.text();
    await http.close();
    return [response, exporter.getFinishedSpans()];
  } finally {
    await http.close();
  }
}

function bodyOf(method: string, params: object = {}): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 'abc', method, params });
}

test('W7 a call is a span in that of its request, and the answer names the trace', async () => {
  const [response, [call, request]] = await traced((http) => http.post(bodyOf('service.echo')));
  assert.equal(request.name, 'POST /v1/rpc');
  assert.deepEqual([request.kind, request.attributes['http.response.status_code']], [SpanKind.SERVER, 200]);
  assert.equal(call.name, 'service.echo');
  assert.equal(call.parentSpanContext?.spanId, request.spanContext().spanId);
  assert.deepEqual(call.attributes, {
    'rpc.system.name': 'jsonrpc',
    'rpc.method': 'service.echo',
    'jsonrpc.protocol.version': '2.0',
    'jsonrpc.request.id': 'abc',
    'tidemark.api.version': '1.1',
    'tidemark.caller': 'cbpmaq6rpn52969vfl00',
  });
  const { traceId, spanId } = request.spanContext();
  assert.equal(response.headers.get('traceparent'), `00-${traceId}-${spanId}-01`);
});

test('W7 the trace of the caller goes on', async () => {
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
  const [response, [call, request]] = await traced((http) => http.post(bodyOf('service.echo'), { headers }));
  assert.equal(request.parentSpanContext?.spanId, '00f067aa0ba902b7');
  assert.deepEqual([request.spanContext().traceId, call.spanContext().traceId], [traceId, traceId]);
  assert.match(response.headers.get('traceparent') ?? '', new RegExp(`^00-${traceId}-`));
});

test('E1 a fault makes the span of the call one of an error, an unknown method has no name', async () => {
  const [, [failed]] = await traced((http) => http.post(bodyOf('service.echo', { limit: -1 })));
  assert.equal(failed.status.code, SpanStatusCode.ERROR);
  assert.equal(failed.attributes['rpc.response.status_code'], '-32602');
  assert.equal(failed.attributes['error.type'], '-32602');
  const [, [unknown]] = await traced((http) => http.post(bodyOf('service.made-up')));
  assert.deepEqual([unknown.name, unknown.attributes['rpc.method']], ['_OTHER', '_OTHER']);
});

test('E4 a bug of ours makes the span of the request one of an error too only when it is answered as one', async () => {
  const [, [call, request]] = await traced((http) => http.post(bodyOf('integration.fail', { how: 'bug' })));
  assert.deepEqual([call.status.code, request.status.code], [SpanStatusCode.ERROR, SpanStatusCode.UNSET]);
});
