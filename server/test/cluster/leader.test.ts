/**
 * The work that is done once, on nodes that are processes: it goes on when the node that does it is killed or stands still, and a node
 * that has stood still does not do it a second time. And what every node does: it adds up usage, in which nothing is counted twice.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { limitDefaults } from '#model/limits';
import { dayOf, emptyTally } from '#model/usage';
import { type ClusterStore, openCluster } from '#open-cluster';
import { systemRandom, systemStopwatch } from '#system-environment';
import { callBasic, type Serving, serve, tidemark, until } from '../cli/process.ts';
import { ClusterNodes, missingForNodes } from '../support/cluster-nodes.ts';
import { KeptLog } from '../support/world.ts';

const missing = missingForNodes();

/** How long the work may stand still when its node has been killed, ms. */
const takeOverMsMax = 30_000;

/** A time that the rule does not keep, µs, and one that every rule keeps. */
const oldUs = Date.parse('2020-01-01T00:00:00Z') * 1000;
const newUs = Date.now() * 1000;

/** A kind of the work that is done once. */
interface Kind {
  /** How the audit names each time that it is done. */
  action: string;
  /** Makes something that is to be done. */
  add(): Promise<unknown>;
  /** Whether that is still to be done. */
  isLeft(): Promise<boolean>;
}

/** Whether a node leads, as its log says. */
function leads({ output }: Serving): boolean {
  const words = output.stdout.split('this node does the work that is done once');
  return words.length > 1 && !words[words.length - 1].trimStart().startsWith('no longer');
}

describe('the work that is done once', missing === null ? {} : { skip: missing }, () => {
  let cluster: ClusterNodes;
  let client: Awaited<ReturnType<ClusterNodes['newClient']>>;
  let store: ClusterStore;
  let env: Record<string, string>;
  let kinds: readonly Kind[];
  const started = new AsyncDisposableStack();
  const nodes: Serving[] = [];

  before(async () => {
    cluster = await ClusterNodes.start(1);
    started.defer(() => cluster.close());
    client = await cluster.newClient();
    const deleted = await cluster.newClient();
    for (const { authorization, integration } of [client, deleted]) {
      const data = { times: [new Date(newUs / 1000).toISOString()], series: { level: [1] } };
      await cluster.result(0, authorization, 'integration.insert', { integration, data });
    }
    await cluster.stopNodes();
    env = { ...cluster.environment, TIDEMARK_THREADS: '1', TIDEMARK_AUDIT_KEEP_DAYS: '365' };
    const rule = await tidemark(['retention', 'set', '--keep', 'P365D'], { env });
    assert.equal(rule.code, 0, rule.stderr);
    const environment = { log: new KeptLog(), random: systemRandom, stopwatch: systemStopwatch };
    store = await openCluster({ addresses: cluster.addresses, limits: limitDefaults }, environment);
    started.defer(() => store.close());
    const [{ number: kept }] = await store.meta.signals.byInput(client.integration, ['level']);
    const [orphan] = await store.meta.write((tx) => tx.integrations.deleteWithSignals(deleted.integration));
    kinds = [points('retention.run', kept, oldUs), points('retention.sweep', orphan, newUs), pruning()];
  });
  after(() => started.disposeAsync());

  async function startNode(): Promise<Serving> {
    const node = await serve({ after: (end) => started.defer(end) }, '/nowhere', [], { env });
    nodes.push(node);
    return node;
  }

  /** A point is to be deleted. */
  function points(action: string, signal: number, timeUs: number): Kind {
    const batch = { timesUs: Float64Array.of(timeUs), signals: [signal], values: Float64Array.of(1) };
    const window = { startUs: timeUs, endUs: timeUs + 1 };
    return {
      action,
      add: () => store.series.append(batch),
      isLeft: async () => (await store.series.countPoints([signal], window))[0] === 1,
    };
  }

  /** The oldest row of the audit is to be deleted. */
  function pruning(): Kind {
    const oldest = 'select min(seq) from tidemark.audit';
    const isOld = `time_ms = ${oldUs / 1000}`;
    return {
      action: 'audit.prune',
      add: () =>
        cluster.postgres.run([`update tidemark.audit set time_ms = ${oldUs / 1000} where seq = (${oldest})`]),
      isLeft: async () =>
        (await cluster.postgres.run([`select 1 from tidemark.audit where ${isOld}`])).length > 0,
    };
  }

  const add = () => Promise.all(kinds.map((kind) => kind.add()));

  /** By kind: how often it was done. */
  async function counts(): Promise<number[]> {
    const rows = await cluster.postgres.run(['select action from tidemark.audit']);
    return kinds.map((kind) => rows.filter(({ action }) => action === kind.action).length);
  }

  /** Waits until everything has been done, and fails where something was done a second time. */
  async function isDoneOnce(before: readonly number[]): Promise<void> {
    for (const { action, isLeft } of kinds)
      assert.ok(await until(async () => !(await isLeft()), 60_000), `${action}: it is still to be done`);
    assert.deepEqual(
      await counts(),
      before.map((count) => count + 1),
    );
  }

  it('goes on within 30 s after its node was killed', async () => {
    const first = await startNode();
    assert.ok(await until(() => leads(first), takeOverMsMax));
    const second = await startNode();
    await add();
    const done = await counts();
    const startMs = performance.now();
    await first.stop('SIGKILL');
    await isDoneOnce(done);
    const tookMs = Math.round(performance.now() - startMs);
    console.log(`# ${tookMs} ms after kill -9 another node had done everything`);
    assert.ok(tookMs < takeOverMsMax, `it took ${tookMs} ms`);
    assert.ok(leads(second));
  });

  it('is not done twice when its node stands still and another one takes over', async () => {
    const third = await startNode();
    const fourth = await startNode();
    await nodes[1].stop('SIGKILL');
    assert.ok(await until(() => leads(third) || leads(fourth), takeOverMsMax));
    const [stopped, other] = leads(third) ? [third, fourth] : [fourth, third];
    // It was to apply the rules within a second, and is late with that when it goes on; and it is to prune when it reloads.
    stopped.child.kill('SIGSTOP');
    stopped.child.kill('SIGHUP');
    await add();
    const done = await counts();
    assert.ok(await until(() => leads(other), 2 * takeOverMsMax), 'PostgreSQL has not ended its session');
    await isDoneOnce(done);
    await add();
    stopped.child.kill('SIGCONT');
    assert.ok(await until(() => !leads(stopped), takeOverMsMax));
    const hasReloaded = () => stopped.output.stdout.includes('the configuration was read again');
    assert.ok(await until(hasReloaded, takeOverMsMax));
    await wait(3000);
    for (const { action, isLeft } of kinds)
      assert.ok(await isLeft(), `${action} was done by a node that does not lead`);
    assert.ok(leads(other));
  });

  it('L4 usage goes on when a node is killed or stands still, and nothing is counted twice', async () => {
    const old = { integration: client.integration, day: dayOf(oldUs), tally: emptyTally() };
    await store.meta.write((tx) => tx.usage.add([old]));
    const [killed, other, still] = [await startNode(), await startNode(), await startNode()];
    const stored = () => store.meta.usage.list(client.integration, dayOf(oldUs));
    const today = async () => (await stored()).reduce((sum, { tally }) => sum + tally.points, 0);
    assert.ok(await until(async () => (await stored()).every(({ day }) => day !== old.day), takeOverMsMax));
    let counted = await today();
    const write = async ({ url }: Serving) => {
      const { integration, secret } = client;
      const credentials = { type: 'basic-auth', clientId: integration, clientSecret: secret } as const;
      const data = { times: [new Date().toISOString()], series: { level: [2] } };
      const params = { integration, data };
      const { body } = await callBasic(
        { apiUrl: `${url}/v1/`, integration, credentials },
        'integration.insert',
        params,
      );
      assert.equal(body.error, undefined);
      counted++;
    };
    const isCounted = async () => (await today()) === counted;
    for (const node of [killed, other, still, killed]) await write(node);
    assert.ok(await until(isCounted, takeOverMsMax));
    await killed.stop('SIGKILL');
    await write(still);
    still.child.kill('SIGSTOP');
    const before = await today();
    for (let i = 0; i < 10; i++) await write(other);
    assert.ok(await until(async () => (await today()) >= before + 10, takeOverMsMax));
    still.child.kill('SIGCONT');
    assert.ok(await until(isCounted, takeOverMsMax));
    await wait(3000);
    assert.ok(await isCounted(), `${await today()} points instead of ${counted}`);
  });
});
