/**
 * The same questions to this service and to a peer, on the same points, in turns: what else the machine does meanwhile meets both.
 * Every kind of answer is compared with the generator.
 */
import { Client } from '../client.ts';
import { steps } from '../data.ts';
import { chunks, cut, expectSeries, mean, sum } from '../expected.ts';
import { requestRate, type Target } from '../ingest.ts';
import { labelQuestion, saveGroups } from '../labels.ts';
import { asking, type Question, questions, withBareAnswer } from '../query.ts';
import { type Figure, median } from '../report.ts';
import type { Run } from '../run.ts';
import { type Service, untilSealed } from '../service.ts';
import { sets, storeSets, weekStartUs } from '../stored.ts';
import { clientWarmAsks, timesFor, timesOf, warmUp } from '../timing.ts';
import {
  type Ask,
  askedGroup,
  labelSignal,
  minuteSignal,
  type Peer,
  type PeerFrame,
  type PeerQuestion,
  type RunningPeer,
  secondSignal,
} from './peer.ts';

/** A question, what the generator says to it, and how much of the peer's time this service may take. */
interface Asked {
  name: string;
  expected(): number[];
  /** By one client. */
  mostOfPeer: number;
}

/** What is asked. */
const asks: Record<Ask, Asked> = {
  raw: {
    name: 'raw 21,600 points of one signal',
    expected: () => [...sets.seconds.values(0)],
    mostOfPeer: 1,
  },
  hours: {
    name: 'hourly rollup, 50 signals × 10,080 points',
    expected: () => chunks(sets.minutes.values(7), 60).map(sum),
    mostOfPeer: 0.7,
  },
  window: {
    name: 'one window, 50 signals × 10,080 points',
    expected: () => [mean(sets.minutes.values(7))],
    mostOfPeer: 0.6,
  },
  minutes: {
    name: 'minute averages, 10 signals × 21,600 points',
    expected: () => chunks(sets.seconds.values(2), 60).map(mean),
    mostOfPeer: 0.9,
  },
  berlin: {
    name: 'Europe/Berlin days, 10 signals × 10,080 points',
    expected: () => {
      const minutes = [23, 24, 24, 24, 24, 24, 23, 2].map((hours) => hours * 60);
      return cut(sets.minutes.values(0), minutes).map(sum);
    },
    mostOfPeer: 0.5,
  },
  formula: {
    name: 'formula of 3 signals, hourly, 7 days',
    expected: () => {
      const [a, b, c] = [0, 1, 2].map((k) => chunks(sets.minutes.values(k), 60).map(mean));
      return a.map((value, i) => (value + b[i]) / 2 - c[i]);
    },
    mostOfPeer: 0.8,
  },
  label: {
    name: '50 of 10,000 signals by label',
    expected: () => Array.from({ length: 50 }, (_, i) => labelSignal(Number(askedGroup.slice(1)) * 50 + i)),
    mostOfPeer: 1,
  },
};

/** Signals that have a label. */
const labelledCount = 10_000;

const clients = 8;

/** Turns that each has. */
const turnCount = 6;

/** This service with the data that is asked for, and its questions by name. */
export interface Own {
  service: Service;
  questions: ReadonlyMap<string, Question<never>>;
}

/** Inserts what is asked for. */
export async function fillOwn(service: Service, run: Run): Promise<Own> {
  const stored = await storeSets(service);
  await saveGroups(service, labelledCount);
  if (!run.isTiny) await untilSealed(service);
  const all = [...questions(stored), labelQuestion(service, labelledCount)];
  return { service, questions: new Map(all.map((question) => [question.name, question])) };
}

/** Asks both everything that the peer can be asked. */
export async function measureQuestions(
  peer: Peer,
  running: RunningPeer,
  own: Own,
  run: Run,
): Promise<Figure[]> {
  const client = await Client.open(running.url);
  for (const frame of storedFrames()) await send(client, running.insert(frame));
  await running.label(labels());
  await running.settle();
  const figures: Figure[] = [];
  for (const [key, asked] of Object.entries(asks)) {
    const question = running.questions[key as Ask];
    if (question === undefined) {
      process.stdout.write(`${peer.name}: ${asked.name}: it cannot\n`);
      continue;
    }
    const party = await partyOf(running, client, question, asked);
    figures.push(...run.print(await compared(peer, party, asked, own, run)));
  }
  client.close();
  return figures;
}

async function send(client: Client, request: Buffer): Promise<Buffer> {
  const { status, body } = await client.send(request);
  if (status !== 200 && status !== 204) throw new Error(`refused: ${status} ${body}`);
  return body;
}

/** Who is asked: `ask` takes the numbers out of an answer. */
interface Party {
  target: Target;
  request: Buffer;
  ask(): Promise<unknown>;
}

/** The peer; an answer is checked first. */
async function partyOf(
  { url }: RunningPeer,
  client: Client,
  { request, read }: PeerQuestion,
  { expected }: Asked,
): Promise<Party> {
  const ask = async () => read(await send(client, request));
  expectSeries(await ask(), expected(), (value) => value);
  return { target: { url, authorization: '', integration: '' }, request, ask };
}

/** What the turns of one of them gave. */
interface Turns {
  /** Of answers to one client, ms. */
  times: number[];
  /** Answers a second to several clients, one for each turn. */
  rates: number[];
}

/** The question to both, and to a bare server that has the bytes of this service's answer in memory. */
async function compared(peer: Peer, party: Party, asked: Asked, own: Own, run: Run): Promise<Figure[]> {
  const { name, mostOfPeer } = asked;
  const question = own.questions.get(name);
  if (question === undefined) throw new Error(`no question is named ${name}`);
  const { service } = own;
  const [its, ours, bare] = await asking(service, question, (ask, request) =>
    withBareAnswer(service, request, (target) =>
      asking(target, question, (askBare) =>
        inTurns([party, { target: service, request, ask }, { target, request, ask: askBare }], run),
      ),
    ),
  );
  const [itsMs, oursMs, bareMs] = [its, ours, bare].map(({ times }) => median(times));
  const [itsRate, oursRate, bareRate] = [its, ours, bare].map(({ rates }) => median(rates));
  const title = `${peer.name}: ${name}`;
  const byMany = `${title}, ${clients} clients`;
  return [
    { name: title, value: itsMs, unit: 'ms' },
    {
      ...{ name: `${title}, ratio`, value: oursMs / itsMs, unit: '×', target: { most: mostOfPeer } },
      note: `Tidemark ${oursMs.toPrecision(3)} ms, ${bareMs.toPrecision(3)} by a bare server`,
    },
    { name: byMany, value: itsRate, unit: 'queries/s' },
    {
      ...{ name: `${byMany}, ratio`, value: oursRate / itsRate, unit: '×', target: { least: 1 } },
      note: `Tidemark ${printRate(oursRate)}, ${printRate(bareRate)} by a bare server`,
    },
  ];
}

function printRate(rate: number): string {
  return Math.round(rate).toLocaleString('en');
}

/** Several turns of each, after a warm-up. */
async function inTurns(parties: readonly Party[], run: Run): Promise<Turns[]> {
  const found: Turns[] = parties.map(() => ({ times: [], rates: [] }));
  if (!run.isTiny) for (const party of parties) await prepare(party);
  for (let turn = 0; turn < (run.isTiny ? 1 : turnCount); turn++)
    for (const [index, party] of parties.entries()) await addTurn(found[index], party, run);
  return found;
}

async function prepare({ target, request, ask }: Party): Promise<void> {
  await warmUp(target, () => request);
  await timesOf(ask, clientWarmAsks);
}

async function addTurn({ times, rates }: Turns, { target, request, ask }: Party, run: Run): Promise<void> {
  const seconds = run.seconds / 3;
  times.push(...(await timesFor(ask, seconds)));
  rates.push((await requestRate(target, () => request, { clients, seconds })).rate);
}

/** The two sets that are asked for, in frames of at most 200,000 points. */
function* storedFrames(): Generator<PeerFrame> {
  const numberOf = { minutes: minuteSignal, seconds: secondSignal };
  for (const set of ['minutes', 'seconds'] as const) {
    const { count, points, stepUs, values } = sets[set];
    const columns = Array.from({ length: count }, (_, k) => values(k));
    const part = Math.floor(200_000 / count);
    for (let from = 0; from < points; from += part) {
      const rows = Math.min(part, points - from);
      const series = columns.map((column, k) => ({
        ...{ number: numberOf[set](k), set, values: column.subarray(from, from + rows) },
      }));
      yield { timesUs: steps(rows, weekStartUs + from * stepUs, stepUs), series };
    }
  }
}

function labels(): Map<number, string> {
  return new Map(Array.from({ length: labelledCount }, (_, k) => [labelSignal(k), `g${Math.floor(k / 50)}`]));
}
