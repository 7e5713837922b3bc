/** A server of another project that a test starts: it ends with the test's process, whatever becomes of that. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

/** Runs a command without input until its own input is closed, then kills it. Its first line is the command's process ID. */
const guard = '"$@" </dev/null >&2 & echo $!; read -r _; kill -9 $!; wait';

/** What to start. */
export interface ServerCommand {
  file: string;
  args: readonly string[];
  /** The file to which it writes what it has to say. */
  output: string;
  /** Whether it ends by itself when its input is closed. */
  endsWithInput?: boolean;
}

/** A running server. */
export class ServerProcess {
  readonly #child: ChildProcess;
  readonly #exit: Promise<unknown>;
  readonly #output: string;
  readonly pid: number;

  private constructor(child: ChildProcess, pid: number, output: string) {
    this.#child = child;
    this.#exit = child.exitCode === null ? once(child, 'exit') : Promise.resolve();
    this.#output = output;
    this.pid = pid;
  }

  /** Starts it; it may not listen yet. */
  static async start({ file, args, output, endsWithInput = false }: ServerCommand): Promise<ServerProcess> {
    const log = openSync(output, 'a');
    if (endsWithInput) {
      const child = spawn(file, args, { stdio: ['pipe', log, log] });
      await once(child, 'spawn');
      return new ServerProcess(child, child.pid ?? 0, output);
    }
    const child = spawn('sh', ['-c', guard, 'sh', file, ...args], { stdio: ['pipe', 'pipe', log] });
    const [line] = await once(child.stdout ?? child, 'data');
    return new ServerProcess(child, Number(`${line}`), output);
  }

  /** Waits until `isReady` is true, up to a minute; fails with the server's output when it has ended before. */
  async ready(isReady: () => Promise<boolean>): Promise<void> {
    for (const deadlineMs = performance.now() + 60_000; performance.now() < deadlineMs; await wait(25)) {
      if (await isReady()) return;
      if (!this.isAlive) break;
    }
    throw new Error(`the server did not start: ${readFileSync(this.#output, 'utf8').slice(-4000)}`);
  }

  /** Whether the process still exists. */
  get isAlive(): boolean {
    try {
      process.kill(this.pid, 0);
      return this.#child.exitCode === null;
    } catch {
      return false;
    }
  }

  /** Sends the server itself a signal. */
  signal(name: NodeJS.Signals): void {
    process.kill(this.pid, name);
  }

  /** Ends it at once, as a crash would, and waits until it has ended. */
  async kill(): Promise<void> {
    if (this.isAlive) this.signal('SIGKILL');
    this.#child.stdin?.end();
    await this.#exit;
  }
}

/** Ports already given out by this process. */
const givenPorts = new Set<number>();

/** Free ports of 127.0.0.1 below those that the system gives to outgoing connections, so that none of these takes one. */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) {
    const port = 20_000 + Math.floor(randomPart() * 12_000);
    if (givenPorts.has(port) || !(await isFree(port))) continue;
    givenPorts.add(port);
    ports.push(port);
  }
  return ports;
}

function randomPart(): number {
  return crypto.getRandomValues(new Uint32Array(1))[0] / 2 ** 32;
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
