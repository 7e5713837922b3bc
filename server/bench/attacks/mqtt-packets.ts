/** Packets of MQTT 3.1.1, made independently of what reads them. */

/** What a CONNECT says. */
export interface ConnectFields {
  clientId: string;
  name: string;
  password: string;
  will?: { topic: string; payload: Buffer };
}

const kinds = { connect: 0x10, publish: 0x30, subscribe: 0x82 } as const;

/** A CONNECT. */
export function connectPacket({ clientId, name, password, will }: ConnectFields): Buffer {
  const flags = 0xc2 | (will === undefined ? 0 : 0x0c);
  const head = Buffer.concat([text('MQTT'), Buffer.from([4, flags, 0, 60])]);
  const willFields = will === undefined ? [] : [text(will.topic), bytes(will.payload)];
  return packet(kinds.connect, [head, text(clientId), ...willFields, text(name), text(password)]);
}

/** A SUBSCRIBE to filters, with QoS 1. */
export function subscribePacket(filters: readonly string[]): Buffer {
  const parts = filters.flatMap((filter) => [text(filter), Buffer.from([1])]);
  return packet(kinds.subscribe, [Buffer.from([0, 1]), ...parts]);
}

/** A PUBLISH with QoS 1. */
export function publishPacket(topic: string, payload: Buffer, id: number): Buffer {
  return packet(kinds.publish | 2, [text(topic), Buffer.from([id >> 8, id & 255]), payload]);
}

/** The head of a PUBLISH that announces so many bytes. */
export function publishHead(length: number): Buffer {
  return Buffer.from([kinds.publish, ...lengthBytes(length)]);
}

function packet(head: number, parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([head, ...lengthBytes(body.length)]), body]);
}

function lengthBytes(length: number): number[] {
  const rest = Math.floor(length / 128);
  return rest === 0 ? [length] : [(length % 128) | 128, ...lengthBytes(rest)];
}

function text(value: string): Buffer {
  return bytes(Buffer.from(value));
}

function bytes(value: Buffer): Buffer {
  return Buffer.concat([Buffer.from([value.length >> 8, value.length & 255]), value]);
}
