/** `tidemark migrate` with real servers: there and back, killed at any time, and what it refuses. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type Outcome, serve, temporaryDirectory, tidemark } from '../cli/process.ts';
import { ClusterNodes, missingForNodes } from '../support/cluster-nodes.ts';
import { contentsOfDirectory, fillDirectory } from '../support/whole-store.ts';
import { SeededRandom } from '../support/world.ts';

const missing = missingForNodes();
const options = missing === null ? {} : { skip: missing };

/** How often a copy is killed in each direction. */
const rounds = Number(process.env.MIGRATE_ROUNDS ?? 2);

/** What the store has, and when copies are killed. */
const seed = Number(process.env.MIGRATE_SEED ?? 1);

/** A copy is killed within this time, ms: from before it opens a store to after it has ended. */
const killMsMax = 2500;

describe('tidemark migrate', options, () => {
  let cluster: ClusterNodes;
  let env: Record<string, string>;
  let base: string;
  let source: string;
  const random = new SeededRandom(seed);
  const started = new AsyncDisposableStack();
  before(async () => {
    cluster = await ClusterNodes.start(0);
    started.defer(() => cluster.close());
    env = cluster.environment;
    base = await temporaryDirectory({ after: (end) => started.defer(end) });
    source = join(base, 'source');
    await fillDirectory(source, {
      seed,
      signals: 200,
      pointsMax: 350_000,
    });
  });
  after(() => started.disposeAsync());

  const migrate = (args: string[], signal?: AbortSignal): Promise<Outcome> =>
    tidemark(['migrate', ...args, '--json'], { env, signal });

  /** Kills copies, each at another time, and lets the last one end. */
  async function migrateKilled(args: string[]): Promise<Record<string, unknown>> {
    for (let round = 0; round < rounds; round++) {
      const [low, high] = random.bytes(2);
      const ms = 300 + Math.round(((low + 256 * high) / 65_536) * (killMsMax - 300));
      const { code, stderr } = await migrate(args, AbortSignal.timeout(ms));
      if (code === 1) assert.match(stderr, /complete data of/, `after ${ms} ms`);
      // PostgreSQL notices soon that the process is gone.
      await delay(200);
    }
    const { code, stdout, stderr } = await migrate(args);
    if (code === 1 && /complete data of/.test(stderr)) return {};
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout);
  }

  it('a dry run says what would be copied, and changes nothing', async () => {
    const { code, stdout, stderr } = await migrate(['--from', source, '--dry-run']);
    assert.equal(code, 0, stderr);
    const found = JSON.parse(stdout);
    assert.equal(found.signals, 200);
    assert.equal(found.targetExists, false);
    const checked = await tidemark(['check-stores'], { env });
    assert.match(checked.stdout, /there are no tables yet/);
  });

  it('a source that is served is refused, and its points can be copied while it is', async (t) => {
    const service = await serve(t, source);
    const { code, stderr } = await migrate(['--from', source]);
    assert.equal(code, 1);
    assert.match(stderr, /already served by another process.*--while-serving/);
    const early = await migrate(['--from', source, '--while-serving']);
    assert.equal(early.code, 0, early.stderr);
    assert.equal(JSON.parse(early.stdout).isFinished, false);
    await service.stop();
  });

  it('no node starts on an unfinished copy', async () => {
    const { code, stderr } = await tidemark(['serve', '--port', '0'], { env });
    assert.equal(code, 1);
    assert.match(stderr, /unfinished copy of the data directory .*: run "tidemark migrate" again/);
  });

  it('another source than the one whose copy is unfinished is refused', async () => {
    const other = join(base, 'other');
    await fillDirectory(other, { seed: 3, signals: 1, pointsMax: 10 });
    const { code, stderr } = await migrate(['--from', other]);
    assert.equal(code, 1);
    assert.match(stderr, /has an unfinished copy of the data directory .*source, not of .*other/);
  });

  it('copies a directory to the servers, killed again and again, with everything in it', async () => {
    const result = await migrateKilled(['--from', source]);
    assert.equal(result.isFinished ?? true, true);
    const verified = await tidemark(['audit', 'verify'], { env });
    assert.equal(verified.code, 0, verified.stdout + verified.stderr);
    const acts = await tidemark(['audit', 'list', '--limit', '1', '--json'], { env });
    assert.match(acts.stdout, /"action": "store\.migrate"/);
    const again = await migrate(['--from', source]);
    assert.match(again.stderr, /the target has the complete data of the data directory/);
  });

  it('servers that nodes use are refused as a source', async (t) => {
    const service = await serve(t, '/nowhere', [], { env });
    const { code, stderr } = await migrate(['--to', join(base, 'refused')]);
    assert.equal(code, 1);
    assert.match(stderr, /used these servers within the last 15 seconds: stop all nodes/);
    await service.stop();
  });

  it('copies the servers to a directory, killed again and again: it is the one of the beginning', async () => {
    const back = join(base, 'back');
    await migrateKilled(['--to', back]);
    const [first, last] = await Promise.all([contentsOfDirectory(source), contentsOfDirectory(back)]);
    assert.deepEqual(last, first);
    for (const args of [['audit', 'verify'], ['check']]) {
      const { code, stdout, stderr } = await tidemark([...args, '--data', back]);
      assert.equal(code, 0, stdout + stderr);
    }
  });

  it('a target with data of its own is refused', async () => {
    const own = join(base, 'other');
    const { code, stderr } = await migrate(['--to', own]);
    assert.equal(code, 1);
    assert.match(stderr, /the target is not empty: \d+ rows of the table integration/);
  });

  it('says what is wrong with its options', async () => {
    const none = await migrate([]);
    assert.equal(none.code, 2);
    assert.match(none.stderr, /say --from DIR to copy a data directory to the servers, or --to DIR/);
    const absent = await migrate(['--from', join(base, 'absent')]);
    assert.match(absent.stderr, /there is no store to copy: .*absent.* is missing/);
    const nowhere = await tidemark(['migrate', '--from', source]);
    assert.match(nowhere.stderr, /name the servers with --meta-url and --series-url/);
  });
});
