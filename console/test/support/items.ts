/** Items for tests without a service. */
import type { DataFrame, Item as ItemResource } from '@tidemark/client/wire';
import { type Item, readItem } from '../../src/features/explorer/item.ts';

/** An item as the service answers it: with every member, those named replaced. */
export function itemResource(
  id: string,
  attributes: Partial<ItemResource['attributes']> = {},
  annotations: Record<string, string> = {},
): ItemResource {
  const at = '2026-01-01T00:00:00Z';
  return {
    id,
    type: 'items',
    meta: { annotations, attributesHash: '', relationshipsHash: '', createdAt: at, updatedAt: at },
    attributes: {
      name: `Item ${id}`,
      description: '',
      valueType: 'numeric',
      sourceType: 'measurement',
      engUnit: '',
      sampleInterval: null,
      gapDetection: null,
      labels: {},
      enumValues: {},
      visible: true,
      ...attributes,
    },
    relationships: {},
  };
}

/** An item as the explorer knows it. */
export function itemOf(...args: Parameters<typeof itemResource>): Item {
  return readItem(itemResource(...args));
}

/** An item with states, `off` and `on` unless others are given. */
export function enumOf(id: string, enumValues: Record<string, string> = { 0: 'off', 1: 'on' }): Item {
  return itemOf(id, { valueType: 'enum', enumValues });
}

/** A data frame as the service answers it, with its times in seconds since 1970. */
export function frameOf(timesS: readonly number[], series: DataFrame['series']): DataFrame {
  return { times: timesS.map((s) => new Date(s * 1000).toISOString()), series };
}
