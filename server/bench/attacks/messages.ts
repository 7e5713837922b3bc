/** Attacks on the broker. */
import { randomBytes, randomInt } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { type Attack, type AttackTarget, bodyBytesOf, integrationOf } from './attack.ts';
import { connectPacket, publishHead, publishPacket, subscribePacket } from './mqtt-packets.ts';

function connecting({ localAddress, ...target }: AttackTarget, index: number, more = {}): Buffer {
  const { id: name, secret: password } = integrationOf({ localAddress, ...target });
  return connectPacket({ clientId: `${localAddress}-${process.pid}-${index}`, name, password, ...more });
}

/** Clients that are signed in. */
const signedIn = { protocol: 'mqtt', opening: connecting } as const;

/** Messages of single values, so many that one write has about 32 KiB. */
const values: Attack = {
  ...signedIn,
  connections: 50,
  next: 'taken',
  request: () =>
    Buffer.concat(
      Array.from({ length: 1000 }, (_, k) =>
        publishPacket(`value/s${k % 10}`, Buffer.from(String(k)), k + 1),
      ),
    ),
};

/** A frame after as much white space as a message takes. */
function spacedFrame(target: AttackTarget): Buffer {
  const frame = '{"times":["2024-01-01T00:00:00Z"],"series":{"spaced":[1]}}';
  return publishPacket('dataframe', Buffer.from(frame.padStart(bodyBytesOf(target))), 1);
}

/** Attack → how it is made. */
export const messageAttacks: Readonly<Record<string, Attack | readonly Attack[]>> = {
  'MQTT values': values,
  'MQTT new signals': {
    ...signedIn,
    connections: 8,
    next: 'taken',
    request: () =>
      Buffer.concat(
        Array.from({ length: 20_000 }, (_, k) =>
          publishPacket(`value/new/${process.pid}/${k}`, Buffer.from('1'), k + 1),
        ),
      ),
  },
  'MQTT wrong values': {
    ...signedIn,
    connections: 20,
    next: 'taken',
    request: () =>
      Buffer.concat(
        Array.from({ length: 1000 }, (_, k) => publishPacket(`value/s${k}`, Buffer.from('wrong'), k + 1)),
      ),
  },
  'MQTT white space': { ...signedIn, connections: 8, next: 'taken', request: spacedFrame },
  'MQTT compressed messages': {
    ...signedIn,
    connections: 50,
    next: 'taken',
    request: (target) =>
      publishPacket('dataframe', gzipSync(Buffer.alloc(bodyBytesOf(target), ' '), { level: 1 }), 1),
  },
  'MQTT oversize messages': {
    ...signedIn,
    connections: 200,
    request: () => Buffer.concat([publishHead(256 * 1024 * 1024 - 1), Buffer.alloc(1024 * 1024)]),
  },
  'MQTT unread values': [
    {
      ...signedIn,
      connections: 100,
      readsNothing: true,
      request: (target) =>
        subscribePacket([
          `${integrationOf(target).id}/#`,
          ...target.items.flatMap((item) => [`items/${item}`, `items/${item}/frame`]),
        ]),
    },
    { ...values, connections: 4 },
  ],
  'MQTT malformed packets': {
    protocol: 'mqtt',
    connections: 200,
    leavesAfterMs: 100,
    opening: (target, index) => Buffer.concat([connecting(target, index), randomBytes(randomInt(1, 500))]),
    request: () => Buffer.alloc(0),
  },
  'MQTT slow CONNECT': {
    protocol: 'mqtt',
    connections: 2000,
    addresses: 6,
    next: 'taken',
    pauseMs: 500,
    opening: (target, index) => connecting(target, index).subarray(0, 12),
    request: () => Buffer.of(0x31),
  },
  'MQTT filters': {
    ...signedIn,
    connections: 50,
    next: 'taken',
    request: (target) =>
      subscribePacket(
        Array.from({ length: 4000 }, (_, k) =>
          k % 2 === 0 ? `items/${k}` : `${integrationOf(target).id}/${k}`,
        ),
      ),
  },
  'MQTT wills': {
    protocol: 'mqtt',
    connections: 200,
    leavesAfterMs: 100,
    opening: (target, index) =>
      connecting(target, index, {
        will: { topic: 'value/will', payload: Buffer.alloc(60_000, '[1,1,1,1,1,1,1,1,1,1,1,1,') },
      }),
    request: () => Buffer.alloc(0),
  },
  'MQTT wrong passwords': {
    protocol: 'mqtt',
    connections: 200,
    opening: (_, index) => connectPacket({ clientId: '', name: `nobody-${index}`, password: 'wrong' }),
    request: () => Buffer.alloc(0),
  },
  'MQTT idle connections': {
    ...signedIn,
    connections: 5000,
    addresses: 6,
    endsTogetherMs: 3500,
    request: () => Buffer.alloc(0),
  },
};
