/** A real Node-RED (test-servers/) in a directory of its own: flows are deployed, and their messages are seen, as its editor does it. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { freePorts, ServerProcess } from './server-process.ts';

const program = new URL('../../../test-servers/node_modules/node-red/red.js', import.meta.url).pathname;

/** A node of a flow, as Node-RED exports it. */
export interface FlowNode {
  id: string;
  type: string;
  name?: string;
  [property: string]: unknown;
}

/** What a debug node has shown. */
export interface Shown {
  /** The name of the debug node, or its ID. */
  node: string;
  /** The text of the sidebar; objects are JSON. */
  text: string;
}

/** Asks its port, and learns of debug messages by the WebSocket of the editor. */
export class NodeRed {
  /** What debug nodes have shown since the start. */
  readonly shown: Shown[] = [];
  readonly #url: string;
  #editor: WebSocket | null = null;

  private constructor(url: string) {
    this.#url = url;
  }

  /**
   * Starts it, until the test ends, with variables of its environment. Null: it is not installed, and the test ends with the
   * reason, as skipped; with `MACHINE_TOOLS=required` it fails.
   */
  static async start(t: TestContext, environment: Readonly<Record<string, string>>): Promise<NodeRed | null> {
    if (!existsSync(program)) {
      const reason = 'Node-RED is not installed: npm install --no-save --prefix test-servers';
      assert.notEqual(process.env.MACHINE_TOOLS, 'required', reason);
      t.skip(reason);
      return null;
    }
    const directory = await mkdtemp(join(tmpdir(), 'tidemark-node-red-'));
    const [port] = await freePorts(1);
    const server = await ServerProcess.start(await command(directory, port, environment));
    const nodeRed = new NodeRed(`http://127.0.0.1:${port}`);
    t.after(async () => {
      nodeRed.#editor?.close();
      await server.kill();
      await rm(directory, { recursive: true, force: true });
    });
    await server.ready(() => nodeRed.#answers());
    await nodeRed.#watch();
    return nodeRed;
  }

  /** Imports a flow and starts it; its nodes may still be starting. */
  async deploy(flow: readonly FlowNode[]): Promise<void> {
    const answer = await fetch(`${this.#url}/flows`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'node-red-deployment-type': 'full' },
      body: JSON.stringify(flow),
    });
    assert.ok(answer.ok, await answer.text());
  }

  /** Presses the button of an inject node, as soon as it has started. */
  async press(id: string): Promise<void> {
    for (let attempt = 0; attempt < 600; attempt++) {
      const answer = await fetch(`${this.#url}/inject/${id}`, { method: 'POST' });
      if (answer.ok) return;
      assert.equal(answer.status, 404, id);
      await wait(100);
    }
    assert.fail(`the node ${id} did not start`);
  }

  async #answers(): Promise<boolean> {
    const answer = await fetch(`${this.#url}/flows`).catch(() => null);
    return answer?.ok === true;
  }

  async #watch(): Promise<void> {
    const editor = new WebSocket(`${this.#url.replace('http', 'ws')}/comms`);
    this.#editor = editor;
    await new Promise((resolve, reject) => {
      editor.addEventListener('open', resolve);
      editor.addEventListener('error', reject);
    });
    editor.addEventListener('message', ({ data }) => this.#read(JSON.parse(`${data}`)));
    editor.send('{"subscribe":"debug"}');
  }

  #read(messages: { topic: string; data: { id: string; name?: string; msg: string } }[]): void {
    for (const { topic, data } of messages) {
      if (topic === 'debug') this.shown.push({ node: data.name || data.id, text: `${data.msg}` });
    }
  }
}

/** Without its own Internet connections; nothing is installed by it. */
async function command(directory: string, port: number, environment: Readonly<Record<string, string>>) {
  const userDirectory = join(directory, 'user');
  await mkdir(userDirectory);
  const settings = {
    ...{ uiHost: '127.0.0.1', uiPort: port, flowFile: 'flows.json', credentialSecret: false },
    ...{ telemetry: { enabled: false }, mqttReconnectTime: 500 },
    externalModules: { autoInstall: false, palette: { allowInstall: false } },
  };
  const settingsFile = join(directory, 'settings.cjs');
  await writeFile(settingsFile, `module.exports = ${JSON.stringify(settings)};`);
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  return {
    file: 'env',
    args: [...variables, process.execPath, program, '--userDir', userDirectory, '--settings', settingsFile],
    output: join(directory, 'output'),
  };
}
