/** A message that waits for a client: in the store, and on its way. */
import { isUtf8 } from 'node:buffer';

/** Topic and payload. */
export interface WaitingMessage {
  topic: string;
  payload: Buffer;
}

/** As it is stored: payloads that are not text are in base64. */
type Stored = [topic: string, payload: string] | [topic: string, payload: string, isBase64: 1];

/** The text of messages. */
export function printMessages(messages: readonly WaitingMessage[]): string {
  return JSON.stringify(
    messages.map(({ topic, payload }): Stored => {
      // A text that a database may refuse, too.
      const isText = isUtf8(payload) && !payload.includes(0);
      return isText ? [topic, payload.toString('utf8')] : [topic, payload.toString('base64'), 1];
    }),
  );
}

/** The messages of a text. */
export function parseMessages(text: string): WaitingMessage[] {
  return (JSON.parse(text) as Stored[]).map(([topic, payload, isBase64]) => {
    return { topic, payload: Buffer.from(payload, isBase64 === 1 ? 'base64' : 'utf8') };
  });
}

/** Flags of a PUBLISH of QoS 1 (MQTT 3.1.1, section 3.3.1). */
const flag = { publishQos1: 0x32, dup: 0x08, retain: 0x01 } as const;

/** What differs from message to message. */
export interface PublishOptions {
  messageId: number;
  /** The client may have it already. */
  dup: boolean;
  retain: boolean;
}

/** The packet of a message. */
export function publishPacket({ topic, payload }: WaitingMessage, options: PublishOptions): Buffer {
  const name = Buffer.from(topic);
  const first = flag.publishQos1 | (options.dup ? flag.dup : 0) | (options.retain ? flag.retain : 0);
  const rest = 2 + name.length + 2 + payload.length;
  const head = Buffer.concat([Buffer.of(first), lengthBytes(rest), uint16(name.length), name]);
  return Buffer.concat([head, uint16(options.messageId), payload]);
}

function uint16(value: number): Buffer {
  return Buffer.of(value >> 8, value & 0xff);
}

/** The length of the rest of a packet (section 2.2.3). */
function lengthBytes(length: number): Buffer {
  const bytes: number[] = [];
  let left = length;
  do {
    const low = left % 128;
    left = Math.floor(left / 128);
    bytes.push(left > 0 ? low | 0x80 : low);
  } while (left > 0);
  return Buffer.from(bytes);
}
