/** The same calls over HTTP and over MQTT leave the same behind: points, faults, usage, quotas, metrics, spans, errors, audit. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { SpanStatusCode } from '@opentelemetry/api';
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { unlimitedPlan } from '#model/plan';
import { basicAuthorization } from '../../support/http.ts';
import { testAct } from '../../support/world.ts';
import { eventually, listen, MqttRig, type Plant } from './rig.ts';

const exporter = new InMemorySpanExporter();
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });

let rig: MqttRig;

before(async () => {
  provider.register();
  rig = await MqttRig.start();
  const plan = { ...unlimitedPlan('small'), signalsMax: 3, pointsPerDayMax: 20 };
  await rig.service.domain.plans.create(testAct, plan);
});
after(async () => {
  await rig.close();
  await provider.shutdown();
});

interface Message {
  /** The call is for another integration. */
  isForeign?: boolean;
  signalsByInput?: object;
  data?: object;
}

/** What is sent, and how often something of it is rejected. */
const messages: readonly Message[] = [
  { signalsByInput: { a: { name: 'Flow', engUnit: 'm³/h' } } },
  { data: { times: [1, 2], series: { a: [1.5, null], b: [2, 3] } } },
  { data: { times: [1], series: { a: [2.5] } } },
  { data: { times: [1], series: { a: ['warm'] } } },
  { data: { times: ['yesterday'], series: { a: [1] } } },
  { signalsByInput: { a: { name: 5 } } },
  { data: { times: [1], series: { a: [1] } }, isForeign: true },
  // More signals than the plan has, then more points than it has left.
  { data: { times: [1], series: { c: [1], d: [1] } } },
  { data: { times: Array.from({ length: 30 }, (_, i) => i), series: { a: Array(30).fill(1) } } },
];

interface Fault {
  code: number;
  message: string;
  data?: { trace?: string; params?: object };
}

/** Sends a message; the fault it is answered with, or null. */
type Send = (message: Message) => Promise<Fault | null>;

const foreign = 'cbpmaq6rpn52969vfl00';

function overHttp({ integration, password }: Plant): Send {
  return async ({ isForeign = false, ...params }) => {
    const method = params.data === undefined ? 'integration.saveSignals' : 'integration.insert';
    const answer = await fetch(`${rig.service.url}/v1/rpc`, {
      method: 'POST',
      headers: {
        authorization: basicAuthorization(integration, password),
        'content-type': 'application/json',
        'x-api-version': '1.1',
      },
      body: JSON.stringify({
        ...{ jsonrpc: '2.0', id: 1, method },
        params: { integration: isForeign ? foreign : integration, ...params },
      }),
    });
    return ((await answer.json()) as { error?: Fault }).error ?? null;
  };
}

async function overMqtt(plant: Plant): Promise<Send> {
  const client = await rig.connect(plant);
  const faults = await listen(client, `${plant.integration}/errors`);
  const all = await listen(client, `${plant.integration}/#`);
  return async ({ isForeign = false, data, signalsByInput }) => {
    const topic = `${isForeign ? foreign : plant.integration}/${data === undefined ? 'signals' : 'dataframe'}`;
    const [faultCount, count] = [faults.length, all.length];
    await client.publishAsync(topic, JSON.stringify(data ?? signalsByInput), { qos: 1 });
    // It comes back to this subscriber, or its fault does.
    await eventually(() => (all.length > count ? true : null));
    const text = faults.slice(faultCount).find((one) => one.topic.endsWith('/errors'))?.text;
    if (text === undefined) return null;
    const { topic: about, ...fault } = JSON.parse(text);
    assert.equal(about, topic);
    return fault;
  };
}

/** A fault without what is different each time. */
function comparable(fault: Fault | null) {
  if (fault === null) return null;
  assert.match(fault.data?.trace ?? '', /^[0-9a-f]{32}$/);
  return { ...fault, data: { ...fault.data, trace: '' } };
}

/** The counters of calls and points. */
async function counters(): Promise<Map<string, number>> {
  const text = await (await fetch(`${rig.service.url}/metrics`)).text();
  const lines = text
    .split('\n')
    .filter((line) => /^tidemark_(rpc_requests_total|rpc_duration_seconds_count|insert)/.test(line));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

/** What a plant has left behind in the service. */
async function traces(plant: Plant) {
  const { usage, errors, audit, meta } = rig.service.domain;
  await usage.flush();
  const [row] = await usage.list(plant.integration, 1);
  const { bytesIn, ...tally } = row.tally;
  assert.ok(bytesIn > 0);
  const signals = await meta.signals.byInput(plant.integration, ['a', 'b']);
  return {
    tally,
    errors: (await errors.list(plant.integration)).map(
      ({ method, code, path, problem, message, address, count }) => {
        return { method, code, path, problem, message, address, count };
      },
    ),
    attributes: signals.map(({ attributes }) => attributes),
    points: [[...(await rig.points(plant, 'a'))], [...(await rig.points(plant, 'b'))]],
    audit: (await audit.list({ limit: 100 })).filter(({ target }) => target === plant.integration).length,
  };
}

/** Runs all messages; what they have left behind. */
async function run(open: (plant: Plant) => Send | Promise<Send>) {
  const plant = await rig.plant();
  await rig.service.domain.plans.assign(testAct, plant.integration, 'small');
  const send = await open(plant);
  exporter.reset();
  const before = await counters();
  const faults = [];
  for (const message of messages) faults.push(comparable(await send(message)));
  const counted = [...(await counters())].map(([name, count]) => [name, count - (before.get(name) ?? 0)]);
  const spans = exporter
    .getFinishedSpans()
    .filter(({ attributes }) => attributes['rpc.system.name'] !== undefined)
    .map(({ name, status, attributes }) => {
      const { 'jsonrpc.request.id': _id, 'tidemark.caller': caller, ...others } = attributes;
      return {
        name,
        isError: status.code === SpanStatusCode.ERROR,
        isOwn: caller === plant.integration,
        others,
      };
    });
  const written = counted.filter(([, count]) => count !== 0).map(([name, count]) => `${name} ${count}`);
  return { faults, spans, counted: written, ...(await traces(plant)) };
}

test('M2b M3 L4 W7 A5h what messages leave behind is what the same calls over HTTP do', async () => {
  const http = await run(overHttp);
  const mqtt = await run(overMqtt);
  assert.deepEqual(mqtt.faults, http.faults);
  assert.equal(http.faults.filter((fault) => fault !== null).length, 6);
  assert.deepEqual(mqtt.points, http.points);
  assert.deepEqual(mqtt.attributes, http.attributes);
  assert.deepEqual(mqtt.tally, http.tally);
  assert.equal(http.tally.requests > 0 && http.tally.rejected > 0, true);
  assert.deepEqual(mqtt.errors, http.errors);
  assert.equal(http.errors.length, 6);
  assert.deepEqual(mqtt.counted, http.counted);
  assert.ok(http.counted.length > 3, http.counted.join('\n'));
  assert.deepEqual(mqtt.spans, http.spans);
  assert.equal(http.spans.length, messages.length);
  assert.equal(mqtt.audit, http.audit);
});

test('L4e A5h a wrong password is among the errors of the integration, over MQTT as over HTTP', async () => {
  const [byHttp, byMqtt] = [await rig.plant(), await rig.plant()];
  await overHttp({ ...byHttp, password: 'wrong' })({ data: {} });
  await assert.rejects(rig.connect({ ...byMqtt, password: 'wrong' }));
  const seen = async ({ integration }: Plant) =>
    (await rig.service.domain.errors.list(integration)).map(({ method, code, message, address, count }) => {
      return { method, code, message, address, count };
    });
  assert.deepEqual(await seen(byMqtt), await seen(byHttp));
  assert.equal((await seen(byMqtt))[0].code, 401);
});

test('L4 M2b above the rate of its plan a client is held back, and nothing is rejected', async () => {
  const rates = new Map([['integration.insert', { perSecond: 4, burst: 1 }]]);
  await rig.service.domain.plans.create(testAct, { ...unlimitedPlan('slow'), rates });
  const plant = await rig.plant();
  await rig.service.domain.plans.assign(testAct, plant.integration, 'slow');
  const client = await rig.connect(plant);
  const errors = await listen(client, `${plant.integration}/errors`);
  const sending = Array.from({ length: 5 }, (_, i) =>
    client.publishAsync('dataframe', JSON.stringify({ times: [i], series: { a: [i] } }), { qos: 1 }),
  );
  await Promise.all(sending);
  assert.equal((await rig.points(plant, 'a')).size, 5);
  assert.deepEqual(errors, []);
});
