/**
 * The longest iteration of an event loop while one large request is answered, with nothing else at work: what is not done in steps
 * shows here, as it does not among many clients. Requests are those of attacks, and large ones that are right.
 */
import type { AttackTarget } from './attacks/attack.ts';
import { filledBytes } from './attacks/attack.ts';
import { attacks } from './attacks/attacks.ts';
import { Client, postBytes } from './client.ts';
import { type Figure, median } from './report.ts';
import type { Run } from './run.ts';
import { longestIterationMs, type Service } from './service.ts';

/** What is expected, ms. */
const iterationMsMax = 50;

/** Times that each is sent, the first of which is not counted: other programs hold up an iteration now and then. */
const roundCount = 6;

/** Attacks of which each request is answered. */
const answered = [
  ...['new keys', 'empty signals', 'compressed bodies', 'empty objects', 'wrong values'],
  ...['unknown parameters', 'a long string', 'a long number', 'a long array', 'descriptions'],
  ...['lines', 'a long line', 'many tags', 'compressed lines', 'snappy bytes', 'Arrow columns', 'Arrow rows'],
];

/** Sends every request several times. */
export async function measureIterations(service: Service, run: Run): Promise<Figure[]> {
  const target: AttackTarget = {
    ...{ host: service.url.hostname, port: Number(service.url.port), mqttPort: 0, session: '' },
    ...{ authorization: service.authorization, localAddress: '127.0.0.1', items: [] },
    ...(run.isTiny && { bodyBytes: 256 * 1024 }),
  };
  const requests = new Map(answered.map((name) => [name, attacks[name][0].request(target)]));
  for (const [name, body] of Object.entries(largeBodies(service, target)))
    requests.set(name, postBytes(service.url, service.authorization, body));
  const client = await Client.open(service.url);
  const figures: Figure[] = [];
  for (const [name, request] of requests) {
    const longest: number[] = [];
    for (let round = 0; round < (run.isTiny ? 2 : roundCount); round++) {
      await longestIterationMs(service);
      const { status } = await client.send(request);
      if (status >= 500 && status !== 503) throw new Error(`${name}: ${status}`);
      if (round > 0) longest.push(await longestIterationMs(service));
    }
    const figure = { value: median(longest), unit: 'ms', target: { most: iterationMsMax } };
    figures.push(...run.print([{ name: `iteration: ${name}`, ...figure }]));
  }
  client.close();
  return figures;
}

/** Bodies of calls that are large, most of them right. */
function largeBodies({ integration }: Service, target: AttackTarget): Record<string, Buffer> {
  const begin = '{"jsonrpc":"2.0","id":1,"method":"integration.insert","params":';
  const own = `"integration":${JSON.stringify(integration)}`;
  const isTiny = target.bodyBytes !== undefined;
  const insert = (columns: number, rows: number, secondOf: (row: number) => number) => {
    const numbers = Array.from({ length: rows }, (_, row) => (row * 7919) % 1000);
    const times = numbers.map((_, row) => new Date(1.7e12 + secondOf(row) * 1000).toISOString());
    const series = Object.fromEntries(Array.from({ length: columns }, (_, k) => [`s${k}`, numbers]));
    return Buffer.from(`${begin}{${own},"data":${JSON.stringify({ times, series })}}}`);
  };
  const rows = isTiny ? 5000 : 250_000;
  const few = isTiny ? 10 : 100;
  const filled = (start: string, member: () => string, end: string) =>
    filledBytes(target, `${begin}{${own},${start}`, member, end);
  return {
    'a column in order': insert(1, rows, (row) => row),
    'a column in no order': insert(1, rows, (row) => (row * 7919) % 250_007),
    'many columns': insert(isTiny ? 100 : 10_000, few, (row) => row),
    'many columns in no order': insert(isTiny ? 100 : 10_000, few, (row) => (row * 7919) % 101),
    'times as numbers': filled('"data":{"times":[', () => '1', '],"series":{}}}}'),
    'not JSON at the end': filled('"data":[', () => '"text"', ',!]}}'),
  };
}
