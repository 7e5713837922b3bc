/** Data frames as Arrow streams, compared with the same frames in JSON: both ask and insert in turns, on one service. */
import { tableFromIPC } from 'apache-arrow';
import { Frame } from '#model/frame';
import { arrowType } from '#protocol/arrow/format';
import { streamPieces } from '#protocol/arrow/stream-writer';
import { Client, postBytes } from './client.ts';
import { expectSeries } from './expected.ts';
import { Frames, shapeOf } from './frames.ts';
import { each, requestRate, requestsOf, type Target } from './ingest.ts';
import { type AnswerResult, type Question, questions, withBareServer } from './query.ts';
import { type Figure, median } from './report.ts';
import type { Run } from './run.ts';
import { processorSeconds, type Service, untilSealed } from './service.ts';
import { sets, storeSets } from './stored.ts';
import { clientWarmAsks, timesFor, timesOf, warmUp } from './timing.ts';

/** Points a second, and ms, that streams should reach on two cores; and ms as a share of JSON in the same run. */
const targets = { points: 20e6, rawMs: 1.5, rawOfJson: 0.5 };

/** How often JSON and Arrow take turns. */
const turnCount = 5;

/** Turns of inserts before those that count: as many requests as V8 needs to compile all of their code. */
const warmTurnCount = 20;

/** A request that inserts the next frame as a stream. */
export function streamRequest(target: Target, frames: Frames): Buffer {
  const url = new URL(target.url);
  url.search = String(new URLSearchParams({ method: 'integration.insert', integration: target.integration }));
  const { timesUs, columns } = frames.next();
  const series = new Map(columns.map((column, k) => [`arrow/${k}`, column]));
  const body = Buffer.concat([...streamPieces(new Frame(timesUs, series), new Map())]);
  return postBytes(url, target.authorization, body, { type: arrowType });
}

function streamRequests(target: Target, count: number, frames: Frames): Buffer[] {
  return Array.from({ length: count }, () => streamRequest(target, frames));
}

/** Inserts frames of 100 × 100 in both forms, in turns. */
async function measureInserts(service: Service, run: Run): Promise<Figure[]> {
  const shape = shapeOf('100×100');
  const points = shape.rows * shape.series;
  const [turns, count] = run.isTiny ? [1, 24] : [turnCount, 1000];
  const frames = { json: new Frames(shape), arrow: new Frames(shape) };
  const requests = {
    json: () => requestsOf(shape, service, count, frames.json),
    arrow: () => streamRequests(service, count, frames.arrow),
  };
  const rates = { json: 0, arrow: 0 };
  const processorS = { json: 0, arrow: 0 };
  for (let turn = run.isTiny ? 0 : -warmTurnCount; turn < turns; turn++) {
    for (const form of ['json', 'arrow'] as const) {
      const next = each(requests[form]());
      const beforeS = processorSeconds(service.process);
      const sent = await requestRate(service, next, { clients: 8, seconds: run.seconds / turns });
      const busyS = processorSeconds(service.process) - beforeS;
      // Sealing may wait until there is less to do; it must not take processors from the other form's turn.
      if (!run.isTiny) await untilSealed(service);
      if (turn < 0) continue;
      rates[form] += sent.rate / turns;
      processorS[form] += busyS / (sent.count * points) / turns;
    }
  }
  const perMillion = (form: 'json' | 'arrow') => (processorS[form] * 1e6).toFixed(3);
  const note = `JSON ${Math.round(rates.json * points).toLocaleString('en')}; processor for a million points ${perMillion('arrow')} s, JSON ${perMillion('json')} s`;
  return run.print([
    {
      name: 'ingest 100×100 as Arrow',
      value: rates.arrow * points,
      unit: 'points/s',
      target: { least: targets.points },
      note,
    },
    { name: 'ingest 100×100 as Arrow, of JSON', value: rates.arrow / rates.json, unit: '×' },
  ]);
}

/** Asks for 21,600 raw points in both forms, and a bare server for the stream, in turns, until the client has them as numbers. */
async function measureReads(service: Service, run: Run): Promise<Figure[]> {
  const stored = await storeSets(service);
  if (!run.isTiny) await untilSealed(service);
  const [raw] = questions(stored);
  const client = await Client.open(service.url);
  const { body } = await client.send(streamQuestion(service, raw));
  return withBareServer(service, body, async (bare) => {
    const bareClient = await Client.open(bare.url);
    const ways = {
      json: jsonWay(client, service, raw),
      arrow: streamWay(client, service, raw),
      bare: streamWay(bareClient, bare, raw),
    };
    expectSeries([...(await ways.arrow.ask())], sets.seconds.values(0), (value) => value);
    const figures = await compareReads(raw, service, ways, run);
    client.close();
    bareClient.close();
    return figures;
  });
}

/** Times the ways to ask, warm as for other questions, and in turns. */
async function compareReads(
  { name }: Question,
  service: Service,
  ways: Record<'json' | 'arrow' | 'bare', Way>,
  run: Run,
): Promise<Figure[]> {
  const forms = ['arrow', 'json', 'bare'] as const;
  const times = { json: [] as number[], arrow: [] as number[], bare: [] as number[] };
  const processorMs = { json: 0, arrow: 0, bare: 0 };
  const first = await timesOf(ways.arrow.ask, run.times);
  for (const { target, request, ask } of run.isTiny ? [] : forms.map((form) => ways[form])) {
    await warmUp(target, () => request);
    await timesOf(ask, clientWarmAsks);
  }
  const turns = run.isTiny ? 1 : turnCount;
  for (let turn = 0; turn < turns; turn++) {
    for (const form of forms) {
      const beforeS = processorSeconds(service.process);
      const found = await timesFor(ways[form].ask, run.seconds / 3);
      processorMs[form] += (1000 * (processorSeconds(service.process) - beforeS)) / found.length / turns;
      times[form].push(...found);
    }
  }
  const [jsonMs, arrowMs] = [median(times.json), median(times.arrow)];
  const note = `best ${Math.min(...times.arrow).toPrecision(3)}, the first ones ${median(first).toPrecision(3)}, JSON ${jsonMs.toPrecision(3)}, the same bytes from a bare server ${median(times.bare).toPrecision(3)}; processor for an answer ${processorMs.arrow.toPrecision(3)} ms, JSON ${processorMs.json.toPrecision(3)} ms`;
  const most = { ms: { most: targets.rawMs }, ofJson: { most: targets.rawOfJson } };
  return run.print([
    { name: `${name}, as Arrow`, value: arrowMs, unit: 'ms', target: most.ms, note },
    { name: `${name}, as Arrow, of JSON`, value: arrowMs / jsonMs, unit: '×', target: most.ofJson },
  ]);
}

/** A way to ask for one series. */
interface Way {
  target: Target;
  request: Buffer;
  /** Asks, and gives its values. */
  ask(): Promise<Iterable<number | null>>;
}

function jsonWay(client: Client, target: Target, question: Question): Way {
  const request = postBytes(target.url, target.authorization, bodyOf(question));
  const ask = async () => {
    const { body } = await client.send(request);
    const { result } = JSON.parse(body.toString('utf8')) as { result: AnswerResult };
    return Object.values(result.data.series)[0];
  };
  return { target, request, ask };
}

function streamQuestion({ url, authorization }: Target, question: Question): Buffer {
  return postBytes(url, authorization, bodyOf(question), { accept: arrowType });
}

function streamWay(client: Client, target: Target, question: Question): Way {
  const request = streamQuestion(target, question);
  const ask = async () => {
    const { body } = await client.send(request);
    return tableFromIPC(body).getChildAt(1)?.toArray() ?? [];
  };
  return { target, request, ask };
}

function bodyOf({ method, params }: Question): Buffer {
  return Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
}

/** Reading and inserting. */
export async function measureArrow(service: Service, run: Run): Promise<Figure[]> {
  return [...(await measureReads(service, run)), ...(await measureInserts(service, run))];
}
