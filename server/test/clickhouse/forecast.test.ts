/** When the disks of ClickHouse will be full: what its servers say of their disks, and what points take there. */
import assert from 'node:assert/strict';
import { statfs } from 'node:fs/promises';
import { it } from 'node:test';
import { dayOf, emptyTally } from '#model/usage';
import { openClickHouse } from '#storage/clickhouse/store';
import { onEachCluster, storeOptions } from '../support/clickhouse-store.ts';
import { startService } from '../support/service.ts';

const count = 2 ** 20;

onEachCluster(({ version, shardCount }, clusterOf) => {
  it('a forecast is made of what points take, and of the free space where the release tells it', async () => {
    const series = await openClickHouse(storeOptions(clusterOf()));
    const service = await startService({ series });
    const { integration } = service;
    await service.call('integration.insert', { integration, data: { times: [0], series: { a: [1] } } });
    const [{ number }] = await service.meta.signals.byInput(integration, ['a']);
    const timesUs = Float64Array.from({ length: count }, (_, row) => row);
    await series.append({ timesUs, signals: [number], values: timesUs });
    const today = dayOf(service.clock.nowUs());
    const tally = { ...emptyTally(), points: count };
    await service.meta.write((tx) =>
      tx.usage.add([1, 2, 3].map((back) => ({ integration, day: today - back, tally }))),
    );
    const { fileBytes: storeBytes, freeBytes } = await series.figures();
    const { total } = await service.sizes.ofAll();
    assert.ok(total.points >= count && total.points <= count + 1, `${total.points} points`);
    assert.ok(storeBytes > count / 100 && storeBytes < 32 * count, `${storeBytes} bytes`);
    if (version === '18.16') assert.equal(freeBytes, undefined);
    else {
      const { bavail, bsize } = await statfs(clusterOf().servers[0].dataDirectory);
      const free = bavail * bsize * shardCount;
      assert.ok(freeBytes !== undefined && Math.abs(freeBytes / free - 1) < 0.2, `${freeBytes} of ${free}`);
      const forecast = await service.overview.forecast({ storeBytes, points: total.points, freeBytes });
      assert.ok(forecast !== null && forecast.bytesPerDay > 0);
      assert.equal(forecast.daysLeft, freeBytes / forecast.bytesPerDay);
    }
    await service.close();
  });
});
