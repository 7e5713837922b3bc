/** What is stored before it is asked for: generated series, inserted and published through the service. */
import { Client } from './client.ts';
import { cycle, steps, walk } from './data.ts';
import type { Target } from './ingest.ts';

/** The stored data that is asked for: a minute signal set and a second signal set. */
export interface Stored {
  /** Item IDs of 50 signals with 10,080 points a minute apart (a week). */
  minutes: string[];
  /** Item IDs of 10 signals with 21,600 points a second apart (six hours). */
  seconds: string[];
}

/** 2024-03-25T00:00:00Z: a week that holds the spring change of Europe/Berlin. */
export const weekStartUs = Date.UTC(2024, 2, 25) * 1000;
/** A minute, µs. */
export const minuteUs = 60e6;
/** A second, µs. */
export const secondUs = 1e6;

/** The sets of generated series: key → times and values. */
export const sets = {
  minutes: { count: 50, points: 10_080, stepUs: minuteUs, values: (k: number) => cycle(10_080, 1000 + k) },
  seconds: { count: 10, points: 21_600, stepUs: secondUs, values: (k: number) => walk(21_600, 2000 + k) },
} as const;

/** The params of an insert that holds rows `from`..`to` of a set. */
export function insertParams(integration: string, name: keyof typeof sets, from: number, to: number): object {
  const { count, stepUs, values } = sets[name];
  const timesUs = steps(to - from, weekStartUs + from * stepUs, stepUs);
  const times = Array.from(timesUs, (us) => new Date(us / 1000).toISOString());
  const series = Object.fromEntries(
    Array.from({ length: count }, (_, k) => [`query/${name}/${k}`, [...values(k).subarray(from, to)]]),
  );
  return { integration, data: { times, series } };
}

/** Inserts and publishes the generated sets; the item IDs by set. */
export async function storeSets(service: Target): Promise<Stored> {
  const client = await Client.open(service.url);
  const minutes = await storeSet(client, service, 'minutes');
  const seconds = await storeSet(client, service, 'seconds');
  client.close();
  return { minutes, seconds };
}

async function storeSet(client: Client, service: Target, name: keyof typeof sets): Promise<string[]> {
  const { points, count } = sets[name];
  const part = Math.floor(200_000 / count);
  let ids: string[] = [];
  for (let from = 0; from < points; from += part) {
    const to = Math.min(points, from + part);
    const params = insertParams(service.integration, name, from, to);
    const { signalsByInput } = await client.call<Inserted>(service, 'integration.insert', params);
    ids = Array.from({ length: count }, (_, k) => signalsByInput[`query/${name}/${k}`].id);
  }
  return publish(client, service, ids);
}

/** What an insert answers. */
export interface Inserted {
  signalsByInput: Record<string, { id: string }>;
}

/** Publishes signals; the IDs of their items. */
export async function publish(client: Client, service: Target, ids: readonly string[]): Promise<string[]> {
  const params = {
    integration: service.integration,
    itemsBySignal: Object.fromEntries(ids.map((id) => [id, {}])),
  };
  const { itemsBySignal } = await client.call<{ itemsBySignal: Record<string, { id: string }> }>(
    service,
    'admin.publishSignals',
    params,
  );
  return ids.map((id) => itemsBySignal[id].id);
}
