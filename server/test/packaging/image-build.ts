/** Carries the steps of a Dockerfile out without Docker: each stage is a directory that represents its root. */
import { execFile } from 'node:child_process';
import { cp, mkdir, readFile } from 'node:fs/promises';
import { basename, delimiter, dirname, join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { type Instruction, ignoredBy, readPairs, type Stage } from './dockerfile.ts';

/** What a stage has come to. */
export interface BuiltStage {
  /** The directory that represents `/`. */
  root: string;
  workDirectory: string;
  env: Map<string, string>;
}

/** Whether this process may give files to other users. */
export const isRoot = process.getuid?.() === 0;

/** Builds the stages below `directory` with the repository at `context`; the last one. */
export async function buildImage(
  stages: readonly Stage[],
  context: string,
  directory: string,
): Promise<BuiltStage> {
  const isIgnored = ignoredBy(await readFile(join(context, '.dockerignore'), 'utf8'));
  const built = new Map<string, BuiltStage>();
  for (const { name, instructions } of stages) {
    const stage: BuiltStage = { root: join(directory, `stage-${name}`), workDirectory: '/', env: new Map() };
    await mkdir(stage.root, { mode: 0o755 });
    built.set(name, stage);
    for (const step of instructions) await carryOut(step, stage, { context, isIgnored, built });
  }
  return built.get(stages.at(-1)!.name)!;
}

interface Sources {
  context: string;
  isIgnored(path: string): boolean;
  built: ReadonlyMap<string, BuiltStage>;
}

async function carryOut(step: Instruction, stage: BuiltStage, sources: Sources): Promise<void> {
  switch (step.name) {
    case 'WORKDIR':
      stage.workDirectory = step.text;
      await mkdir(join(stage.root, step.text), { recursive: true });
      return;
    case 'ENV':
      for (const [key, value] of readPairs(step.text)) stage.env.set(key, value);
      return;
    case 'COPY':
      return copy(step, stage, sources);
    case 'RUN':
      return run(step.text, stage);
  }
}

/** A folder's content goes into the destination; a file goes into it when it ends in a slash. */
async function copy({ options, text }: Instruction, stage: BuiltStage, sources: Sources): Promise<void> {
  const from = options.get('from');
  const base = from === undefined ? sources.context : sources.built.get(from)!.root;
  const words = text.split(' ');
  const destination = words.at(-1)!;
  const target = join(stage.root, resolve(stage.workDirectory, destination));
  for (const word of words.slice(0, -1)) {
    const source = join(base, word);
    const isIntoFolder = destination.endsWith('/') || destination === '.' || words.length > 2;
    const to = isIntoFolder ? join(target, basename(word)) : target;
    const filter = (path: string) => from !== undefined || !sources.isIgnored(relative(base, path));
    await cp(source, to, { recursive: true, filter, verbatimSymlinks: true });
  }
}

/** Absolute paths of a command are those of the stage; a user other than root owns the files that it creates. */
async function run(command: string, stage: BuiltStage): Promise<void> {
  const here = command.replace(/(?<=\s)\/(?=\w)/g, `${stage.root}/`);
  const allowed = isRoot ? here : here.replace(/ -[og] \d+/g, '');
  const path = [dirname(process.execPath), process.env.PATH].join(delimiter);
  const cwd = join(stage.root, stage.workDirectory);
  // npm run would put this project's own tools before those that the stage installed.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_|^NODE/.test(name)));
  // Installing the project has filled npm's cache: the registry need not be asked again.
  const whole = { ...env, PATH: path, npm_config_prefer_offline: 'true' };
  await promisify(execFile)('sh', ['-c', allowed], { cwd, env: whole, maxBuffer: 1 << 26 });
}
