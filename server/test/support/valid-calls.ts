/** One good call of every operation, on a service that has something to answer with. */
import type { ServiceUnderTest } from './service.ts';

/** A method and its parameters in 1.2, or in the version named. */
export interface ValidCall {
  method: string;
  params: object;
  version: '1.1' | '1.2';
}

/** Saves two signals, publishes them, inserts points, and gives a good call of every operation. */
export async function prepareCalls(service: ServiceUnderTest): Promise<ValidCall[]> {
  const { integration } = service;
  const signalsByInput = {
    'plant/temperature': {
      name: 'Temperature',
      labels: { site: ['a', 'b'] },
      engUnit: '°C',
      gapDetection: 'PT1H',
    },
    'plant/state': { valueType: 'enum', enumValues: { '0': 'off', '1': 'on' }, annotations: { 'x/y': 'z' } },
  };
  const data = {
    times: ['2026-03-01T10:00:00Z', '2026-03-01T10:01:00.5Z', 1772360000],
    series: { 'plant/temperature': [20.5, null, 21], 'plant/state': [0, 1, 1] },
  };
  const saved = (await service.call('integration.saveSignals', { integration, signalsByInput })).result;
  const [temperature, state] = Object.keys(signalsByInput).map(
    (input) => saved.signalsByInput[input].id as string,
  );
  const itemsBySignal = {
    [temperature]: { name: 'Temperature', visible: true },
    [state]: { valueType: 'enum' },
  };
  const published = (await service.call('admin.publishSignals', { integration, itemsBySignal })).result;
  await service.call('integration.insert', { integration, data });
  const [item, stateItem] = [temperature, state].map(
    (signal) => published.itemsBySignal[signal].id as string,
  );

  const query = {
    filter: { $or: [{ name: { $regex: '^T' } }, { 'labels.site': { $in: ['a'] } }] },
    sort: ['-name'],
    limit: 5,
    total: true,
  };
  const window = { times: { $gte: '2026-03-01T00:00:00Z', $lt: '2026-03-02T00:00:00Z' } };
  const format = { dataAsArray: true, groupIncludedByType: true };
  const call = (method: string, params: object, version: '1.1' | '1.2' = '1.2'): ValidCall => ({
    method,
    params,
    version,
  });
  return [
    call('integration.saveSignals', { integration, signalsByInput, createOnly: false }),
    call('integration.insert', { integration, data }),
    call('admin.selectSignals', { integration, query, include: ['item'], format }),
    call('admin.publishSignals', { integration, itemsBySignal, createOnly: true }),
    call('admin.connectSignals', { integration, query: { filter: { id: temperature } }, item, dryRun: true }),
    call('admin.disconnectSignals', { integration, query: { filter: { id: temperature } }, dryRun: true }),
    call('admin.deleteData', { integration, query, data: { filter: window }, dryRun: true }),
    call('admin.annotateSignals', { integration, data: [{ id: temperature, annotations: { note: 'new' } }] }),
    call('admin.importCalculation', {
      integration,
      id: 'd6i2kg7a9722f7b606og',
      item: { name: 'Twice', visible: true },
      versions: [
        {
          formula: '2 * t',
          inputs: [{ id: item, alias: 't' }],
          interval: 'PT1H',
          version: 1,
          actor: 'person:d6i2kg7a9722f7b606p0',
          savedAt: '2026-02-01T12:00:00Z',
        },
      ],
    }),
    call('service.selectItems', { query, format }),
    call(
      'service.selectItems',
      {
        items: { include: true, filter: {}, limit: 10 },
        data: { include: true, notBefore: window.times.$gte, rollup: 'PT1H' },
      },
      '1.1',
    ),
    call('service.dataFrame', {
      query,
      data: { filter: window, rollup: 'P1D', timeZone: 'Europe/Berlin', firstDayOfWeek: 1 },
      include: ['item'],
      format,
    }),
    call('service.evaluate', {
      items: [
        { id: item, aggregation: 'avg', alias: 'a', lead: 1, lag: 2 },
        { id: stateItem, aggregation: 'state-seconds', state: 1, alias: 'b' },
      ],
      calculations: [{ formula: 'gapfill(a) + b / 2', alias: 'c' }],
      data: { filter: { ...window, series: { $in: ['a', 'c'] } }, rollup: 'PT1H', timeZone: 'Europe/Berlin' },
    }),
    call('rpc.discover', {}),
  ];
}
