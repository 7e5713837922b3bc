/** The order of writes on nodes whose clocks disagree: it is that of the acknowledgements, whatever the clocks say. */
import assert from 'node:assert/strict';
import { env } from 'node:process';
import { after, before, describe, it } from 'node:test';
import { systemClock } from '#system-environment';
import { ClusterNodes, missingForNodes } from '../support/cluster-nodes.ts';

const missing = missingForNodes();

/** Overwrites of points in all. */
const overwrites = Number(env.OVERWRITES ?? 200);

/** Points that are overwritten side by side, each by one client after another. */
const chainCount = 50;

const tenMinutesUs = 600e6;

describe('nodes whose clocks are ten minutes apart', missing === null ? {} : { skip: missing }, () => {
  let cluster: ClusterNodes;
  before(async () => {
    const clock = (node: number) => ({ nowUs: () => systemClock.nowUs() - node * tenMinutesUs });
    cluster = await ClusterNodes.start(2, { clock });
  });
  after(() => cluster.close());

  it('R9 the last write to be acknowledged wins, whichever node it was written by, and both nodes read it', async () => {
    const { authorization, integration } = await cluster.newClient();
    const time = '2026-03-01T00:00:00Z';
    const window = { startUs: Date.parse(time) * 1000, endUs: Date.parse(time) * 1000 + 1 };

    const write = (node: number, key: string, value: number) =>
      cluster.result(node, authorization, 'integration.insert', {
        integration,
        data: { times: [time], series: { [key]: [value] } },
      });

    const read = async (node: number, key: string) => {
      const { meta, series } = cluster.nodes[node].domain;
      const signals = (await meta.signals.byInput(integration, [key])).map(({ number }) => number);
      const [points] = await series.scan({ sources: [{ signals, window, before: false, after: false }] });
      return [...points.values];
    };

    const chain = async (_: unknown, index: number) => {
      const key = `s${index}`;
      for (let i = 0; i < overwrites / chainCount; i++) {
        await write((i + index) % 2, key, i);
        assert.deepEqual(await read((i + index + 1) % 2, key), [i], `overwrite ${i} of ${key}`);
      }
    };
    await Promise.all(Array.from({ length: chainCount }, chain));
  });
});
