/** `serve --demo`: fills an empty data directory with the demo plant, and shows a first call that works. */
import { join } from 'node:path';
import type { Domain } from '#domain/domain';
import { apiUrlOf, type CredentialsFile, credentialsFile } from '#domain/identity/credentials-file';
import { serviceAct } from '#model/act';
import { CredentialsPath, readCredentialsFile } from './credentials-path.ts';
import type { DemoFeed } from './demo-feed.ts';
import { frameOf, makePlant, type PlantRow, plantSignals } from './demo-plant.ts';

/** The services that the demo uses. */
export interface DemoPlace {
  domain: Domain;
  directory: string;
  baseUrl: string;
  nowUs: number;
  feed: DemoFeed;
}

/** Fills an empty data directory, and keeps the plant running. Returns the text to print at start. */
export async function prepareDemo(place: DemoPlace): Promise<string> {
  const path = credentialsPath(place.directory);
  const integrations = await place.domain.identity.listIntegrations();
  const invitation = invite(place);
  if (integrations.length > 0) return `${await greetAgain(place.baseUrl, path)}${invitation}\n`;
  // Credentials are created last, so that an interrupted start leaves none for an incomplete plant.
  const { identity } = place.domain;
  const integration = (await identity.createIntegration(serviceAct, 'Demo plant', ['admin', 'service'])).id;
  const { rows, simulation } = makePlant(place.nowUs);
  const items = await loadPlant(place.domain, integration, rows);
  place.feed.start(place.domain, integration, simulation);
  const { credential, secret } = await identity.createCredential(
    serviceAct,
    integration,
    'basic-auth',
    'demo',
  );
  const file = credentialsFile(apiUrlOf(place.baseUrl), credential, secret);
  await (await CredentialsPath.take(path, true)).write(file);
  return greet(place.baseUrl, path, invitation) + firstCall(file, items);
}

/** Keeps the plant of an earlier start running, if there is one. */
export async function resumeDemo({ domain, directory, nowUs, feed }: DemoPlace): Promise<void> {
  const file = await readCredentialsFile(credentialsPath(directory)).catch(() => null);
  if (file !== null) feed.start(domain, file.integration, makePlant(nowUs).simulation);
}

function credentialsPath(directory: string): string {
  return join(directory, 'demo-credentials.json');
}

/** Stores signals, points and items; input key → item ID. */
async function loadPlant(
  domain: Domain,
  integration: string,
  rows: readonly PlantRow[],
): Promise<Map<string, string>> {
  const signals = await domain.signals.save(integration, plantSignals, { createOnly: false });
  await domain.ingest.insert(integration, frameOf(rows), domain.quota.accountOf(integration));
  const publish = [...plantSignals].map(
    ([input, change]) => [signals.get(input)!.id, { ...change, visible: true }] as const,
  );
  const items = await domain.signals.publish(serviceAct, integration, new Map(publish), {
    createOnly: false,
  });
  return new Map([...signals].map(([input, { id }]) => [input, items.get(id)!.id]));
}

/** A call for a shell: the average flow and power of each day, and what a cubic metre cost. */
function firstCall({ apiUrl, credentials }: CredentialsFile, items: ReadonlyMap<string, string>): string {
  const params = {
    items: [
      { id: items.get('pump-1/flow'), aggregation: 'avg', alias: 'flow' },
      { id: items.get('pump-1/power'), aggregation: 'avg', alias: 'power' },
    ],
    calculations: [{ formula: 'round(power / flow, 3)', alias: 'kwh_per_m3' }],
    data: { rollup: 'PT24H' },
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'service.evaluate', params });
  return [
    `curl -sS '${apiUrl}rpc' \\`,
    `  -u '${credentials.clientId}:${credentials.clientSecret}' \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d '${body}'`,
    '',
    '',
  ].join('\n');
}

/** The text before the first call, which is printed last so that it can be copied easily. */
function greet(baseUrl: string, path: string, invitation: string): string {
  return `
Tidemark serves a demo plant (a pump and a tank, seven days) at ${baseUrl}
Credentials, with every grant: ${path}
${invitation}
Pump 1, day by day:

`;
}

/** How to open the console; before the set-up, with the set-up code. */
function invite({ domain, baseUrl }: DemoPlace): string {
  const setupCode = domain.signIns.setupCode();
  const code = setupCode === null ? '' : `Set-up code, for the first administrator: ${setupCode}\n`;
  return `Console: ${baseUrl}/\n${code}`;
}

/** The service may have another address than when the file was written; false when there is no such file. */
async function moveCredentials(path: string, baseUrl: string): Promise<boolean> {
  const file = await readCredentialsFile(path).catch(() => null);
  if (file === null) return false;
  const apiUrl = apiUrlOf(baseUrl);
  if (file.apiUrl !== apiUrl) await (await CredentialsPath.take(path, true)).write({ ...file, apiUrl });
  return true;
}

async function greetAgain(baseUrl: string, path: string): Promise<string> {
  const hasCredentials = await moveCredentials(path, baseUrl);
  const credentials = hasCredentials ? `Credentials of the demo: ${path}\n` : '';
  return `\nTidemark serves what is in its data directory at ${baseUrl}\n${credentials}`;
}
