/** The files for Grafana in docs/connect/: what they ask for is answered, with the columns that they name. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { serviceOfFile } from '../support/service.ts';

const folder = join(import.meta.dirname, '../../../docs/connect');
const read = (name: string) => readFileSync(join(folder, name), 'utf8');

interface Query {
  url: string;
  url_options: { method: string; params: { key: string; value: string }[] };
  columns: { selector: string; type: string }[];
}

interface Panel {
  title: string;
  datasource: { type: string; uid: string };
  targets: Query[];
}

const dashboard = JSON.parse(read('grafana-dashboard.json')) as {
  panels: Panel[];
  time: { from: string; to: string };
};
const service = await serviceOfFile();

/** What the plug-in makes of its macros: times of the dashboard, and the value for a range of four days. */
function replaceMacros(text: string): string {
  return text
    .replace(/^\$\{__timeFrom:date:iso\}$/, new Date(dashboard.time.from).toISOString())
    .replace(/^\$\{__timeTo:date:iso\}$/, new Date(dashboard.time.to).toISOString())
    .replace(/^\$__customInterval\(.*14d,(\w+),.*\)$/, '$1');
}

async function saveItems(): Promise<void> {
  const { integration } = service;
  const times = ['2024-03-30T12:00:00Z', '2024-03-30T12:30:00Z', '2024-03-31T12:00:00Z'];
  const series = { inside: [-18, -19, -17.5], outside: [4, 5, 6] };
  const { result } = await service.call('integration.insert', { integration, data: { times, series } });
  const signals = Object.values(result.signalsByInput as Record<string, { id: string }>);
  const itemsBySignal = Object.fromEntries(signals.map(({ id }) => [id, {}]));
  const published = await service.call('admin.publishSignals', { integration, itemsBySignal });
  assert.equal(published.error, undefined);
}

test('X2a each query of the dashboard for Grafana is answered with the columns that it names', async () => {
  await saveItems();
  const rows = new Map<string, string[]>();
  for (const { title, targets } of dashboard.panels) {
    for (const { url, url_options, columns } of targets) {
      const query = new URLSearchParams(
        url_options.params.map(({ key, value }) => [key, replaceMacros(value)]),
      );
      const { authorization } = service;
      const answer = await fetch(`${service.url}${url}?${query}`, { headers: { authorization } });
      const text = await answer.text();
      assert.equal(answer.status, 200, text);
      const [heading, ...lines] = text.trimEnd().split(/\r?\n/);
      assert.deepEqual(
        columns.map(({ selector }) => selector),
        heading.split(','),
      );
      rows.set(title, lines);
    }
  }
  assert.deepEqual(rows.get('Temperature'), [
    '2024-03-30T13:00:00+01:00,-18.5,4.5',
    '2024-03-31T14:00:00+02:00,-17.5,6',
  ]);
  assert.deepEqual(rows.get('Coldest of each day'), [
    '2024-03-30T00:00:00+01:00,-19',
    '2024-03-31T00:00:00+01:00,-17.5',
  ]);
});

test('the data source for Grafana is the one that the dashboard names, and has no secret in it', () => {
  const [source] = parse(read('grafana-datasource.yaml')).datasources;
  for (const { datasource } of dashboard.panels) {
    assert.deepEqual(datasource, { type: source.type, uid: source.uid });
  }
  assert.equal(source.jsonData.auth_method, 'basicAuth');
  assert.deepEqual(source.jsonData.allowedHosts, [source.url]);
  assert.match(source.secureJsonData.basicAuthPassword, /^\$\{\w+\}$/);
});
