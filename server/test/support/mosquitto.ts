/** A mosquitto of the test's own, as an existing broker: with passwords, and the access of each user that docs/mqtt.md gives. */
import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { TlsFiles } from '#transport/http/tls';
import type { LinkTarget } from '#transport/mqtt/link/broker-link';
import { findTool } from './machine-tools.ts';
import { freePorts, ServerProcess } from './server-process.ts';

const run = promisify(execFile);

/** Who the service is there. */
const own = { user: 'tidemark', password: 'own-password' };

const access = `user tidemark
topic read +/dataframe
topic read +/signals
topic read +/value/#
topic write +/errors
topic write items/+
topic write items/+/frame

pattern write %u/dataframe
pattern write %u/signals
pattern write %u/value/#
pattern read %u/#
pattern read items/+
pattern read items/+/frame
`;

interface Programs {
  mosquitto: string;
  passwd: string;
}

/** A running mosquitto. */
export class Mosquitto {
  readonly #programs: Programs;
  readonly #directory: string;
  readonly port: number;
  readonly #tls: TlsFiles | null;
  #process: ServerProcess | null = null;

  private constructor(programs: Programs, directory: string, port: number, tls: TlsFiles | null) {
    this.#programs = programs;
    this.#tls = tls;
    this.#directory = directory;
    this.port = port;
  }

  /** Starts one; null: it is not installed, and the test is skipped. It ends with the test. `tls`: it speaks only that. */
  static async start(t: TestContext, tls: TlsFiles | null = null): Promise<Mosquitto | null> {
    const mosquitto = findTool(t, 'mosquitto');
    const passwd = mosquitto === null ? null : findTool(t, 'mosquitto_passwd');
    if (mosquitto === null || passwd === null) return null;
    const directory = await mkdtemp(join(tmpdir(), 'tidemark-mosquitto-'));
    const [port] = await freePorts(1);
    const broker = new Mosquitto({ mosquitto, passwd }, directory, port, tls);
    t.after(() => broker.close());
    await broker.#configure();
    await broker.resume();
    return broker;
  }

  /** The target of a service. */
  target(versions: LinkTarget['versions'], password = own.password): LinkTarget {
    const place = { host: '127.0.0.1', port: this.port, isSecure: false, ca: null };
    return { ...place, user: own.user, password, versions };
  }

  /** Its address, for clients. */
  get url(): string {
    return `mqtt://127.0.0.1:${this.port}`;
  }

  /** Its address as the service is given it. */
  get ownUrl(): string {
    return `mqtt://${own.user}:${own.password}@127.0.0.1:${this.port}`;
  }

  /** Lets an integration in. */
  async admit(user: string, password: string): Promise<void> {
    await this.#setPassword(user, password);
    this.#process?.signal('SIGHUP');
    await wait(200); // It says nothing when it has read the file.
  }

  /** Ends it as an operator does; what it has promised it stores. */
  async stop(): Promise<void> {
    const process = this.#process;
    this.#process = null;
    process?.signal('SIGTERM');
    for (let i = 0; i < 400 && process !== null && !(await hasEnded(process.pid)); i++) await wait(25);
    await process?.kill();
  }

  /** Starts it again, on the same port. */
  async resume(): Promise<void> {
    const args = ['-c', join(this.#directory, 'mosquitto.conf')];
    const output = join(this.#directory, 'output');
    this.#process = await ServerProcess.start({ file: this.#programs.mosquitto, args, output });
    await this.#process.ready(() => this.#isListening());
  }

  /** Ends it, with all that it has stored. */
  async close(): Promise<void> {
    await this.#process?.kill();
    await rm(this.#directory, { recursive: true, force: true });
  }

  async #configure(): Promise<void> {
    const file = (name: string) => join(this.#directory, name);
    await writeFile(file('access'), access);
    await this.#setPassword(own.user, own.password, true);
    const user = process.getuid?.() === 0 ? 'user root\n' : '';
    const secured =
      this.#tls === null ? '' : `certfile ${this.#tls.certPath}\nkeyfile ${this.#tls.keyPath}\n`;
    await writeFile(
      file('mosquitto.conf'),
      `${user}listener ${this.port} 127.0.0.1
${secured}allow_anonymous false
password_file ${file('passwords')}
acl_file ${file('access')}
persistence true
persistence_location ${this.#directory}/
max_queued_messages 0
log_type error
`,
    );
  }

  async #setPassword(user: string, password: string, isFirst = false): Promise<void> {
    const file = join(this.#directory, 'passwords');
    await run(this.#programs.passwd, [...(isFirst ? ['-c'] : []), '-b', file, user, password]);
    await chmod(file, 0o600);
  }

  #isListening(): Promise<boolean> {
    return new Promise((resolve) => {
      const socket = connect(this.port, '127.0.0.1');
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
  }
}

/** Whether a process has done all that it does, though its parent may not have noticed yet. */
async function hasEnded(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ') Z');
  return status.slice(status.lastIndexOf(')')).startsWith(') Z');
}
