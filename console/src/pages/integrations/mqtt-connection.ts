/** Connects to the broker over WebSocket with a Basic pair, as a program does over TCP, and ends the connection at once. */
import { systemEnvironment } from '@tidemark/client';
import type { CredentialsFile } from '@tidemark/client/wire';

/** The broker refuses, or cannot be reached; the message says what to do. */
export class MqttRefusal extends Error {
  override readonly name = 'MqttRefusal';
}

const refusals: Readonly<Record<number, string>> = {
  3: 'Too many wrong passwords have come from this address. Wait a minute, then test again.',
  4: 'The secret is refused: the credential was revoked, replaced or has expired. Create a new one.',
  5: 'The integration is disabled. Enable it on its page, then test again.',
};

const unreachable =
  'The broker cannot be reached from your browser. A proxy in between must forward WebSocket connections at /mqtt.';

/** Connects; `here` is where the browser reaches the service. Rejects with {@link MqttRefusal}. */
export function connectMqtt(file: CredentialsFile, here: string, timeoutMs: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const socket = new WebSocket(`${here.replace(/^http/, 'ws')}mqtt`, 'mqtt');
  socket.binaryType = 'arraybuffer';
  const fail = (words: string) => reject(new MqttRefusal(words));
  const timer = setTimeout(() => fail(unreachable), timeoutMs);
  socket.onopen = () => socket.send(connectPacket(file));
  socket.onclose = () => fail(unreachable);
  socket.onmessage = ({ data }: MessageEvent<ArrayBuffer>) => {
    const [kind, , , code = -1] = new Uint8Array(data);
    if (kind === connack && code === 0) {
      socket.send(disconnectPacket);
      resolve();
    } else fail(refusals[code] ?? `The broker refuses the connection with the code ${code}.`);
  };
  return promise.finally(() => {
    clearTimeout(timer);
    socket.close();
  });
}

const connack = 0x20;
const disconnectPacket = Uint8Array.of(0xe0, 0);

/** A new session, with user name and password; the client ID says that this is not a program (A4). */
function connectPacket({ integration, credentials }: CredentialsFile): Uint8Array<ArrayBuffer> {
  const cleanWithLogin = 0xc2;
  const keepAliveS = 30;
  const head = [...text('MQTT'), 4, cleanWithLogin, 0, keepAliveS];
  const client = `connection-test-${Math.floor(systemEnvironment.random() * 2 ** 32)}`;
  const body = [...head, ...text(client), ...text(integration), ...text(credentials.clientSecret)];
  // One byte of length is enough for 127 bytes, and two for all that this can be.
  const length =
    body.length < 128 ? [body.length] : [(body.length % 128) + 128, Math.floor(body.length / 128)];
  return Uint8Array.of(0x10, ...length, ...body);
}

function text(value: string): number[] {
  const bytes = new TextEncoder().encode(value);
  return [bytes.length >> 8, bytes.length & 255, ...bytes];
}
