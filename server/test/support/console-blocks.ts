/** The commands of a document, executed unchanged; their output is compared with the documented output. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { compileCache } from './compile-cache.ts';
import { serviceThreads } from './service-threads.ts';
import { tokenCache } from './token-cache.ts';

/** A command of a ```console block. */
export interface Step {
  command: string;
  /** The documented output. `…` matches anything in its line, a line with only `…` matches any lines. */
  output: string;
  /** Whether the block says, as ```console fails, that the command does not succeed. */
  fails: boolean;
}

/** The commands of the ```console blocks, in order. */
export function readSteps(markdown: string): Step[] {
  const blocks = [...markdown.matchAll(/^```console( fails)?\n(.*?)^```/gms)];
  return blocks.flatMap(([, fails, block]) => {
    assert.ok(block.startsWith('$ '), block);
    const parts = block.slice(2).split(/^\$ /m);
    return parts.map((part) => ({ ...splitStep(part), fails: fails !== undefined }));
  });
}

/** A command goes on while a quote or a here-document is open, and after a backslash at the end of a line. */
function splitStep(text: string): Pick<Step, 'command' | 'output'> {
  const lines = text.split('\n');
  const isWhole = (count: number) => isCommand(lines.slice(0, count).join('\n'));
  const length = lines.findIndex((_, i) => isWhole(i + 1)) + 1;
  return { command: lines.slice(0, length).join('\n'), output: lines.slice(length).join('\n') };
}

function isCommand(text: string): boolean {
  const mark = /<<'?(\w+)'?/.exec(text)?.[1];
  if (mark !== undefined) return new RegExp(`\\n${mark}$`).test(text);
  return !text.endsWith('\\') && text.split("'").length % 2 === 1;
}

const idPattern = /\b[a-v0-9]{20}\b/g;

/** Where commands are carried out. */
export interface ConsoleOptions {
  /** The working directory. */
  cwd: string;
  /** Added to the environment of this process without its TIDEMARK_ variables. */
  env?: Record<string, string>;
  /** The command that `tidemark` and `npx tidemark` mean. */
  bin: string;
  /** Text in the document → its value here, for example an address; replaced back in the output. */
  here?: ReadonlyMap<string, string>;
}

/** A shell in which the commands of one document are carried out, one after the other. */
export class Console {
  readonly #options: ConsoleOptions;
  /** An ID of the document → the one that was made here in its place. */
  readonly #ids = new Map<string, string>();

  private constructor(options: ConsoleOptions) {
    this.#options = options;
  }

  /** Makes a directory of commands inside the working directory. */
  static async open(options: ConsoleOptions): Promise<Console> {
    const commands = join(options.cwd, '.bin');
    await mkdir(commands, { recursive: true });
    const text = `#!/bin/sh\nexec '${process.execPath}' '${options.bin}' "$@"\n`;
    await writeFile(join(commands, 'tidemark'), text, { mode: 0o755 });
    return new Console(options);
  }

  /** Carries a step out. Fails when it does not end, or does not print, as the document says. */
  async run({ command, output, fails }: Step): Promise<void> {
    const { code, text } = await this.#execute(command);
    assert.equal(code !== 0, fails, `${command}\nended with ${code}:\n${text}`);
    const made = text.match(idPattern) ?? [];
    for (const [i, id] of (output.match(idPattern) ?? []).entries()) this.#ids.set(id, made[i]);
    const expected = output.replace(idPattern, (id) => this.#ids.get(id) ?? id);
    assert.match(
      text.trimEnd(),
      patternOf(expected.trimEnd()),
      `${command}\nprints something else:\n${text}`,
    );
  }

  async #execute(command: string): Promise<{ code: number; text: string }> {
    const { cwd, here = new Map() } = this.#options;
    let script = command
      .replace(idPattern, (id) => this.#ids.get(id) ?? id)
      .replaceAll('npx tidemark', 'tidemark');
    for (const [there, value] of here) script = script.replaceAll(there, value);
    const { code, output } = await bash(script, cwd, this.#env());
    let text = output;
    for (const [there, value] of here) text = text.replaceAll(value, there);
    return { code, text };
  }

  #env(): Record<string, string | undefined> {
    const { cwd, env } = this.#options;
    const own = Object.entries(process.env).filter(
      ([name]) => !name.startsWith('TIDEMARK_') && name !== 'NODE_OPTIONS',
    );
    const path = [join(cwd, '.bin'), process.env.PATH].join(delimiter);
    const ours = { ...compileCache, ...tokenCache, ...serviceThreads };
    return { ...Object.fromEntries(own), ...ours, PATH: path, ...env };
  }
}

/** Both outputs, as a terminal would show them. */
function bash(
  script: string,
  cwd: string,
  env: Record<string, string | undefined>,
): Promise<{ code: number; output: string }> {
  return new Promise((resolve, reject) => {
    const child = execFile('bash', ['-c', `exec 2>&1\n${script}`], { cwd, env, timeout: 180_000 }, done);
    function done(error: Error | null, output: string): void {
      const code = child.exitCode;
      if (code === null) reject(error ?? new Error(`${script} was ended`));
      else resolve({ code, output });
    }
  });
}

/** What a document shows, as a pattern; how long something took is never the same. */
function patternOf(shown: string): RegExp {
  const lines = shown.split('\n').map((line) => {
    if (line === '…') return '[^]*';
    const escaped = line.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('…', '.*');
    return escaped.replace(/in [\d\\.]+ s\b/g, 'in [\\d.]+ s');
  });
  return new RegExp(`^${lines.join('\n').replaceAll('\n[^]*', '(?:\n[^]*)?')}$`);
}
