/** A service with one example of everything, in addition to the demo plant, so that each page has something to show. */
import assert from 'node:assert/strict';
import { Client, type CredentialsFile } from '@tidemark/client';
import { browser, service } from './console.ts';
import { callAs } from './people.ts';

/** Name of the picture → place in the console, in parts. */
export type Places = Record<'explorer' | 'signals' | 'administration', Readonly<Record<string, string>>>;

/** Adds one example of everything to the demo plant. `token`: the session of the administrator. */
export async function fillIn(token: string): Promise<Places> {
  const call = (method: string, params: object = {}) =>
    callAs(service, browser.context, token, method, params);
  const { integrations } = (await call('console.integrations.list')) as { integrations: { id: string }[] };
  const plant = integrations[0]!.id;
  const { id: empty } = (await call('console.integrations.create', { name: 'Boiler house gateway' })) as {
    id: string;
  };
  await call('console.credentials.create', {
    integration: plant,
    type: 'client-credentials',
    label: 'gateway in hall 3',
  });
  const { id: old } = (await call('console.integrations.create', { name: 'Gateway of 2019' })) as {
    id: string;
  };
  await failCalls(old, (params) => call('console.credentials.create', params));
  await call('console.integrations.disable', { id: old });
  await call('console.retention.set', { scope: 'all', keep: 'P400D' });
  await call('console.retention.set', { scope: 'label:site=North', keep: 'forever' });
  await call('console.people.create', { name: 'Grace', password: 'ships sail on the tide', role: 'viewer' });
  const { data } = (await call('admin.selectSignals', { integration: plant, include: ['item'] })) as {
    data: {
      id: string;
      attributes: { valueType: string };
      relationships: { item: { data: { id: string } | null } };
    }[];
  };
  const signal = data[0]!;
  const items = data.slice(0, 3).map((each) => each.relationships.item.data?.id ?? '');
  const states = data
    .filter(({ attributes }) => attributes.valueType === 'enum')
    .map((each) => each.relationships.item.data?.id ?? '');
  const pins = [3, 9, 11].map((hours) => (Date.now() - hours * 3_600_000).toString(36)).join('.');
  await call('console.views.save', { name: 'Pumps, this week', query: 'from=now%2Fw&to=now%2Fw' });
  const places = {
    explorer: {
      overview: '/',
      explorer: `/explorer?items=${items.join('.')}`,
      'explorer-empty': '/explorer',
      'explorer-all': `/explorer?items=${data.map((each) => each.relationships.item.data?.id ?? '').join('.')}`,
      'explorer-pins': `/explorer?items=${items.join('.')}&from=now-1d&to=now&vs=day&pins=${pins}`,
      'explorer-states': `/explorer?items=${states.join('.')}&from=now-1d&to=now&tab=states`,
      'explorer-table': `/explorer?items=${items.join('.')}&tab=table&from=now-1d&to=now`,
      formulas: `/formulas?f=${encodeURIComponent(JSON.stringify(sheetOf(items)))}`,
      'formulas-empty': '/formulas',
      console: '/console?m=service.evaluate',
      items: '/items',
      item: `/items/${items[0]}`,
    },
    signals: {
      integrations: '/integrations',
      integration: `/integrations/${plant}`,
      'integration-new': `/integrations/${empty}`,
      'integration-disabled': `/integrations/${old}`,
      signals: `/signals?integration=${plant}`,
      'signals-filtered': `/signals?integration=${plant}&filter=${encodeURIComponent('{"valueType":"numeric","labels.site":{"$exists":true}}')}`,
      signal: `/signals/${plant}/${signal.id}`,
      publish: `/publish?integration=${plant}`,
      review: `/publish?integration=${plant}&ids=${data.slice(0, 2).map(({ id }) => id)}`,
      rules: '/rules',
      'rule-new': '/rules/new',
    },
    administration: {
      usage: '/usage',
      activity: '/activity',
      audit: '/audit',
      health: '/health',
      people: '/people',
      settings: '/settings',
      account: '/account',
      welcome: '/welcome',
      'not-found': '/nothing/here',
    },
  };
  // One item that was edited, one signal that was published as it is.
  await call('admin.publishSignals', {
    integration: plant,
    itemsBySignal: {
      [signal.id]: { name: 'Renamed by hand', description: 'Edited after publishing', visible: true },
    },
  });
  return places;
}

/** Calls of a program that go wrong in two ways. */
async function failCalls(integration: string, create: (params: object) => Promise<unknown>): Promise<void> {
  const made = (await create({ integration, type: 'basic-auth', label: 'PLC' })) as { file: CredentialsFile };
  const client = Client.fromFile(made.file);
  const data = { times: ['yesterday'], series: { 'pump/pressure': [4.2] } };
  await assert.rejects(client.callAny('integration.insert', { integration, data }));
  await assert.rejects(client.callAny('service.selectItems', {}));
}

/** A sheet of formulas, one of them with a fault. */
function sheetOf(items: readonly string[]): unknown {
  return [
    items.map((id, i) => [id, `a${i}`, 'avg']),
    [
      ['total', 'a0 + a1'],
      ['smooth', 'movavg(total, 12)'],
      ['faulty', 'a0 + nothing'],
    ],
    [],
  ];
}
