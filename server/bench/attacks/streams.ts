/** Attacks by answers without an end: exports and live values. */
import { type Attack, type AttackTarget, get, integrationOf, postAs } from './attack.ts';

function exporting(options: string) {
  return (target: AttackTarget) => get(target, `/v1/export?items=*&${options}`);
}

/** Ten points for each signal that is watched, again and again. */
function inserting(target: AttackTarget): Buffer {
  const times = Array.from({ length: 100 }, (_, k) => 1_800_000_000 + k);
  const series = Object.fromEntries(Array.from({ length: 10 }, (_, k) => [`s${k}`, times.map(() => k)]));
  const params = { integration: integrationOf(target).id, data: { times, series } };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'integration.insert', params });
  const headers = 'X-API-Version: 1.2\r\nContent-Type: application/json\r\n';
  return postAs(target, '/v1/rpc', Buffer.from(body), headers);
}

function watching(target: AttackTarget): Buffer {
  return get(target, `/v1/live?items=${target.items.join()}`);
}

/** Attack → how it is made. */
export const streamAttacks: Readonly<Record<string, Attack | readonly Attack[]>> = {
  exports: { connections: 20, request: exporting('format=csv') },
  'wide exports': { connections: 20, request: exporting('format=jsonl&form=wide') },
  'compressed exports': { connections: 20, request: exporting('format=csv&compression=zstd') },
  'Parquet exports': { connections: 20, request: exporting('format=parquet') },
  'unread exports': { connections: 200, readsNothing: true, request: exporting('format=csv') },
  'unread Parquet exports': { connections: 50, readsNothing: true, request: exporting('format=parquet') },
  'exports that are left': { connections: 50, leavesAfterMs: 100, request: exporting('format=csv') },
  'unread live values': [
    { connections: 500, readsNothing: true, request: watching },
    { connections: 4, request: inserting },
  ],
  'live values that are left': { connections: 200, leavesAfterMs: 50, request: watching },
};
