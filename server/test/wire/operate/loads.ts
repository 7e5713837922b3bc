/** Methods of each load that last until a test lets them go. */
import Type from 'typebox';
import type { CallKind } from '#load/ticket';
import { Frame } from '#model/frame';
import { type Call, defineMethod, type Method } from '#protocol/method';
import { versions } from '#protocol/version';

function methodOf(name: string, load: CallKind, run: (call: Call) => Promise<unknown>): Method {
  return defineMethod({
    name,
    load,
    versions,
    grant: 'integration',
    summary: 'Costs something.',
    params: Type.Object({ texts: Type.Optional(Type.Array(Type.String())) }),
    result: Type.Unknown(),
    run,
  });
}

const frame = defineMethod({
  name: 'service.frame',
  load: 'read',
  versions,
  grant: 'service',
  summary: 'Answers a frame of as many rows as wanted.',
  params: Type.Object({ rows: Type.Integer({ default: 2 }) }),
  result: Type.Unknown(),
  run: async (_call, { rows }) => ({
    data: new Frame(
      Float64Array.from({ length: rows }, (_, row) => row * 1e6),
      new Map([['a', new Float64Array(rows)]]),
    ),
  }),
});

/** How many rows of {@link frame} take this many bytes. */
export function frameOf(bytes: number): number {
  return bytes / 16;
}

/** Calls that are held until they are let go. */
export class Loads {
  /** How many are held now. */
  running = 0;
  /** How many have been held. */
  begunCount = 0;
  readonly methods: readonly Method[] = [
    methodOf('service.read', 'read', (call) => this.#hold(call)),
    methodOf('admin.change', 'change', async () => 'changed'),
    methodOf('integration.hold', 'insert', (call) => this.#hold(call)),
    frame,
  ];
  #releases: (() => void)[] = [];
  #isOpen = false;

  /** Lets go those that are held, and holds none any more. */
  open(): void {
    this.#isOpen = true;
    for (const release of this.#releases.splice(0)) release();
  }

  /** Waits to be let go, or for the client to go. */
  async #hold({ signal }: Call): Promise<string> {
    if (this.#isOpen) return 'let pass';
    this.running++;
    this.begunCount++;
    try {
      return await new Promise((resolve, reject) => {
        this.#releases.push(() => resolve('let go'));
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
    } finally {
      this.running--;
    }
  }
}
