/** Attacks by calls: bodies, batches and answers of JSON-RPC, and connections that ask for documents. */
import { brotliCompressSync, constants } from 'node:zlib';
import { type Attack, type AttackTarget, bodyBytesOf, filledBytes, postAs } from './attack.ts';

function post(target: AttackTarget, body: Buffer, headers = ''): Buffer {
  const types = `X-API-Version: 1.2\r\nContent-Type: application/json\r\n${headers}`;
  return postAs(target, '/v1/rpc', body, types);
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

function filled(target: AttackTarget, ...text: [string, (index: number) => string, string]): Buffer {
  return post(target, filledBytes(target, ...text));
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
export const callAttacks: Readonly<Record<string, Attack>> = {
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
      const bomb = brotliCompressSync(Buffer.alloc(bodyBytesOf(target), ' '), { params });
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
  'a long string': {
    connections: 4,
    request: (target) =>
      post(
        target,
        filledBytes(target, `${saveSignals}{"signalsByInput":{"k":{"name":"`, () => '\\"', '"}}}}', ''),
      ),
  },
  'a long number': {
    connections: 4,
    request: (target) =>
      post(
        target,
        filledBytes(target, `${saveSignals}{"integration":`, () => '1', '}}', ''),
      ),
  },
  'a long array': {
    connections: 4,
    request: (target) => filled(target, `${saveSignals}{"integration":[`, () => '1', ']}}'),
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
