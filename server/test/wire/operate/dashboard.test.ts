/** What docs/operate/ gives to Prometheus and Grafana names metrics: each must be there, with the labels it is asked for. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { limitDefaults } from '#model/limits';
import { addGauges, addThreadGauges } from '#observe/gauges';
import { Observation } from '#observe/observation';
import { metricsRoute } from '#transport/http/metrics';
import { startHttp } from '../../support/http.ts';
import { KeptLog } from '../../support/world.ts';
import { testMethods } from '../protocol/methods.ts';

const folder = join(import.meta.dirname, '../../../../docs/operate');
const files = ['tidemark.dashboard.json', 'tidemark.rules.yaml', 'monitoring.md'];

/** Everything that a service shows, after a call that went well and one that did not. */
async function shownMetrics(): Promise<string> {
  const observation = new Observation({ version: '1', limits: limitDefaults, log: new KeptLog() });
  const { metrics } = observation;
  const route = metricsRoute(() => metrics.render(), { token: null, without: 'all' });
  const http = await startHttp({ methods: testMethods, routes: [route], observation });
  const figures = {
    fileBytes: 1,
    walBytes: 1,
    logBytes: 1,
    queueBytes: 1,
    writerQueueLength: 1,
    readerQueueLength: 1,
    sealLagS: 1,
    sealFailureCount: 1,
    damagedBlockCount: 1,
  };
  const series = { figures: async () => figures };
  addThreadGauges(metrics.registry, series);
  addGauges(metrics.registry, {
    directory: import.meta.dirname,
    series,
    load: http.load,
    live: { watcherCount: 1 },
    mqtt: null,
    http: { connectionCount: http.server.connectionCount, tls: { expiresAtMs: 1e12 } },
  });
  metrics.onInserted(1);
  metrics.onSlowCall('service.echo');
  try {
    await http.call('service.echo');
    await http.call('service.echo', { limit: -1 });
    return await (await fetch(`${http.url}/metrics`)).text();
  } finally {
    await http.close();
  }
}

const named = /\b(?:tidemark|nodejs|process)_[a-z0-9_]+\b/g;

test('E3 every metric that a dashboard, an alert or the page of metrics names is there', async () => {
  const text = await shownMetrics();
  // A histogram that has seen nothing yet, as of garbage collections, has a type and no values.
  const shown = new Set(text.match(/^(?:# TYPE )?[a-z0-9_]+/gm)?.map((line) => line.replace('# TYPE ', '')));
  for (const file of files) {
    const names = new Set(readFileSync(join(folder, file), 'utf8').match(named));
    assert.ok(names.size > 8, file);
    assert.deepEqual(
      [...names].filter((name) => !shown.has(name) && !shown.has(`${name}_count`)),
      [],
      file,
    );
  }
});

test('E3 the page of metrics names every metric of ours', async () => {
  const page = readFileSync(join(folder, 'monitoring.md'), 'utf8');
  const own = [...(await shownMetrics()).matchAll(/^# TYPE (tidemark_[a-z0-9_]+) /gm)].map(
    ([, name]) => name,
  );
  assert.ok(own.length > 25);
  assert.deepEqual(
    own.filter((name) => !page.includes(`\`${name}\``)),
    [],
  );
});

test('E3 labels that are asked for are there', async () => {
  const text = await shownMetrics();
  for (const file of files.slice(0, 2)) {
    const content = readFileSync(join(folder, file), 'utf8').replaceAll('\\"', '"');
    for (const [, name, selector] of content.matchAll(/\b(tidemark_[a-z0-9_]+)\{([^}]*)\}/g)) {
      for (const [, label] of selector.matchAll(/([a-z]+)(?:=~|!=|=)/g)) {
        if (label === 'instance' || label === 'job') continue; // Prometheus' own.
        assert.match(
          text,
          new RegExp(`^${name}\\{[^}]*\\b${label}="`, 'm'),
          `${file}: ${name} has no ${label}`,
        );
      }
    }
  }
});

test('E3 the dashboard is one that Grafana can import', () => {
  const dashboard = JSON.parse(readFileSync(join(folder, 'tidemark.dashboard.json'), 'utf8'));
  const ids = dashboard.panels.map(({ id }: { id: number }) => id);
  assert.equal(new Set(ids).size, ids.length);
  for (const { type, title, targets, gridPos } of dashboard.panels) {
    assert.ok(title && gridPos.x + gridPos.w <= 24, title);
    if (type !== 'row')
      assert.ok(
        targets.every(({ expr }: { expr: string }) => expr.includes('$instance')),
        title,
      );
  }
});
