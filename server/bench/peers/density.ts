/** Bytes a point on the disk, as a peer keeps the sets of density.ts: all files of its directory, after it has tidied up. */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '../client.ts';
import { type GeneratedSet, generatedSets } from '../density.ts';
import type { Figure } from '../report.ts';
import type { Run } from '../run.ts';
import { endProcess } from '../service.ts';
import type { Peer } from './peer.ts';

const signalCount = 10;
const batchRows = 10_000;

/** Merging in the background is given this long, ms. */
const mergeMs = 3000;

/** Each set in a directory of its own. */
export async function measurePeerDensity(peer: Peer, run: Run): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const set of run.isTiny ? generatedSets.slice(0, 1) : generatedSets) {
    figures.push(...run.print([await densityOf(peer, set, run.isTiny)]));
  }
  return figures;
}

async function densityOf(peer: Peer, { name, make }: GeneratedSet, isTiny: boolean): Promise<Figure> {
  const directory = mkdtempSync(join(tmpdir(), 'tidemark-peer-'));
  const rows = isTiny ? 1000 : 100_000;
  try {
    const running = await peer.start(directory);
    const emptyBytes = bytesIn(directory);
    const client = await Client.open(running.url);
    for (let k = 0; k < signalCount; k++) {
      const { timesUs, values } = make(rows, 100 + k);
      for (let from = 0; from < rows; from += batchRows) {
        const [times, column] = [timesUs, values].map((all) => all.subarray(from, from + batchRows));
        const series = [{ number: 1000 + k, set: 'density', values: column }];
        const { status, body } = await client.send(running.insert({ timesUs: times, series }));
        if (status !== 200 && status !== 204) throw new Error(`refused: ${status} ${body}`);
      }
    }
    client.close();
    await running.settle();
    await sleep(isTiny ? 0 : mergeMs);
    const ownBytes = await running.storedBytes?.();
    await endProcess(running.process);
    const value = (ownBytes ?? bytesIn(directory) - emptyBytes) / (rows * signalCount);
    return { name: `${peer.name}: on disk: ${name}`, value, unit: 'bytes/point' };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function bytesIn(directory: string): number {
  const entries = readdirSync(directory, { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}
