/** The image: its Dockerfile carried out step by step without Docker, and what comes of it run as another user, read-only. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { serviceThreads } from '../support/service-threads.ts';
import { ignoredBy, readDockerfile, readPairs, type Stage } from './dockerfile.ts';
import { type BuiltStage, buildImage, isRoot } from './image-build.ts';

const top = fileURLToPath(new URL('../../../', import.meta.url));
const read = (name: string) => readFile(join(top, name), 'utf8');
const stages = readDockerfile(await read('Dockerfile'));
const final = stages.at(-1)!;

function textsOf(stage: Stage, name: string): string[] {
  return stage.instructions.filter((step) => step.name === name).map(({ text }) => text);
}

test('the last stage runs as a number, has one volume, a health check, labels and the version of the package', async () => {
  assert.deepEqual(textsOf(final, 'USER'), ['1000:1000']);
  assert.deepEqual(textsOf(final, 'VOLUME'), ['/var/lib/tidemark']);
  assert.deepEqual(textsOf(final, 'HEALTHCHECK'), ['CMD ["tidemark", "health"]']);
  const labels = readPairs(textsOf(final, 'LABEL').join(' '));
  for (const name of ['title', 'description', 'licenses', 'version', 'revision']) {
    assert.ok(labels.get(`org.opencontainers.image.${name}`), name);
  }
  const { version } = JSON.parse(await read('server/package.json'));
  assert.ok(textsOf(final, 'ARG').includes(`VERSION=${version}`));
  assert.deepEqual(
    stages.map(({ image }) => image),
    // biome-ignore lint/suspicious/noTemplateCurlyInString: so it stands in the file
    ['${NODE_IMAGE}', '${NODE_IMAGE}', '${NODE_IMAGE}'],
  );
});

test('what is not named does not enter the build', async () => {
  const isIgnored = ignoredBy(await read('.dockerignore'));
  for (const path of ['server', 'server/src/main.ts', 'package-lock.json', 'console/src/app/app.tsx'])
    assert.equal(isIgnored(path), false, path);
  for (const path of ['.git', '.env', 'server/node_modules/x', 'server/test', 'tidemark-data/tidemark.db'])
    assert.equal(isIgnored(path), true, path);
});

test('compose runs the image without rights, with a read-only root, and on this machine alone', async () => {
  const lines = (await read('compose.yaml')).split('\n').map((line) => line.trim().replace(/^- /, ''));
  const needed = ['read_only: true', 'no-new-privileges:true', '"127.0.0.1:8080:8080"', 'ALL'];
  for (const line of needed) assert.ok(lines.includes(line), line);
  assert.equal(lines[lines.indexOf('ALL') - 1], 'cap_drop:');
});

/** A directory that other users may enter; it goes with the test. */
async function openDirectory(t: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'tidemark-image-'));
  t.after(async () => {
    await promisify(execFile)('chmod', ['-R', 'u+w', path]);
    await rm(path, { recursive: true, force: true });
  });
  await chmod(path, 0o755);
  return path;
}

/** The environment in which the image runs its command, its paths those of the stage; TIDEMARK_HOST is loopback here. */
function envOf({ root, env }: BuiltStage): Record<string, string> {
  const entries = [...env].map(([key, value]) => [key, value.replace(/(^|:)\//g, `$1${root}/`)]);
  const { PATH, ...rest } = Object.fromEntries(entries);
  const path = PATH.replace('$PATH', `${root}/usr/local/bin:/usr/bin:/bin`);
  return { ...rest, PATH: path };
}

function asUser(): { uid?: number; gid?: number } {
  return isRoot ? { uid: 1000, gid: 1000 } : {};
}

/** Starts the image's command; resolves with the port when it listens. */
async function start(t: TestContext, stage: BuiltStage, env: Record<string, string>) {
  const cwd = join(stage.root, stage.workDirectory);
  const child = spawn('tidemark', ['serve'], { cwd, env, ...asUser() });
  const closed = once(child, 'close');
  t.after(async () => {
    child.kill('SIGKILL');
    await closed;
  });
  let output = '';
  const port = await new Promise<string>((resolve, reject) => {
    const collect = (chunk: Buffer) => {
      output += chunk;
      const found = /"url":"http:\/\/127\.0\.0\.1:(\d+)"/.exec(output);
      if (found !== null) resolve(found[1]);
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    closed.then(() => reject(new Error(output)));
  });
  const stop = async () => {
    child.kill('SIGTERM');
    return (await closed)[0];
  };
  return { port, stop };
}

/** Every file and folder below a directory, with its mode. */
async function modesBelow(directory: string): Promise<[string, number][]> {
  const entries = await readdir(directory, { recursive: true });
  const modes = entries.map(async (path): Promise<[string, number]> => {
    return [path, (await stat(join(directory, path))).mode & 0o777];
  });
  return Promise.all(modes);
}

test('the steps of the Dockerfile make a service that runs as another user on a read-only tree', async (t) => {
  const directory = await openDirectory(t);
  const stage = await buildImage(stages, top, directory);
  await assertLean(stage);
  // The base image has Node here.
  await mkdir(join(stage.root, 'usr/local/bin'), { recursive: true });
  await copyFile(process.execPath, join(stage.root, 'usr/local/bin/node'));
  await promisify(execFile)('chmod', ['-R', 'a-w', join(stage.root, 'opt')]);

  const env = envOf(stage);
  const run = (args: string[], more: Record<string, string> = {}) =>
    promisify(execFile)('tidemark', args, { env: { ...env, ...more }, ...asUser() });
  await assert.rejects(run(['serve']), /--host 0\.0\.0\.0 can be reached from other machines/);
  const composed = { TIDEMARK_INSECURE: 'true', TIDEMARK_BASE_URL: 'http://localhost:8080' };
  for (const name of Object.keys(composed)) assert.ok((await read('compose.yaml')).includes(`${name}: "`));
  assert.equal((await run(['config', 'check'], composed)).stdout, 'the configuration is valid\n');

  const here = { ...serviceThreads, TIDEMARK_HOST: '127.0.0.1', TIDEMARK_PORT: '0' };
  const { port, stop } = await start(t, stage, { ...env, ...here });
  // As HEALTHCHECK does.
  assert.equal((await run(['health'], { TIDEMARK_PORT: port })).stdout, 'ok\n');
  const created = await run(['integration', 'create', 'plant', '--json']);
  assert.match(created.stdout, /clientSecret/);
  assert.equal(await stop(), 0);
  const data = join(stage.root, 'var/lib/tidemark');
  assert.equal((await stat(data)).mode & 0o777, 0o700);
  const modes = await modesBelow(data);
  assert.ok(modes.some(([path]) => path === 'tidemark.db'));
  for (const [path, mode] of modes) assert.equal(mode & 0o077, 0, `${path} ${mode.toString(8)}`);
});

/** Nothing is installed that only developers need, no sources are left. */
async function assertLean({ root }: BuiltStage): Promise<void> {
  const { packages } = JSON.parse(await read('package-lock.json')) as {
    packages: Record<string, { dev?: boolean }>;
  };
  const app = join(root, 'opt/tidemark');
  const installed = JSON.parse(await readFile(join(app, 'node_modules/.package-lock.json'), 'utf8'));
  const names = Object.keys(installed.packages);
  assert.ok(names.includes('node_modules/typebox'));
  assert.deepEqual(
    names.filter((name) => packages[name]?.dev),
    [],
  );
  const own = (await readdir(join(app, 'server'), { recursive: true })).filter(
    (path) => !path.startsWith('node_modules'),
  );
  assert.ok(own.includes('dist/cli/main.js'));
  assert.deepEqual(
    own.filter((path) => path.endsWith('.ts') || dirname(path) === 'test'),
    [],
  );
}
