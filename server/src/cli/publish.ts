/** `tidemark publish`: makes the signals of an integration readable, as they are. */
import { Option } from 'commander';
import type { Client } from '#client';
import { counted } from '#model/text';
import type { Call, CommandBody } from './command.ts';
import { readJsonObject } from './options.ts';
import { printResult } from './result.ts';
import { openService, reporting } from './service-client.ts';
import { printTable } from './terminal.ts';

/** A signal as the service shows it (R5), as far as it is used here. */
interface SignalResource {
  id: string;
  meta: { attributesHash: string };
  attributes: { input: string; name: string };
}

interface Published {
  id: string;
  created: boolean;
  updated: boolean;
}

/**
 * Annotations of an item that name what it was made from. The console records the item's own hash as well; publishing
 * removes that record, and the console then compares the attributes.
 */
const notes = {
  signalId: 'tidemark/publish/signal-id',
  signalHash: 'tidemark/publish/signal-hash',
  itemHash: 'tidemark/publish/item-hash',
} as const;

const pageSize = 500;

/** The command. */
export const definition: CommandBody = {
  settings: ['credentials', 'ca'],
  options: [
    new Option('--filter <JSON>', 'only signals that match, for example {"labels.site":"north"}'),
    new Option('--quiet', 'print counts instead of a line for each signal'),
  ],
  notes: `Needs a credentials file whose integration has the grant "admin". A signal without an item gets one; other items are updated to
the metadata of their signal. Publishing again changes nothing.`,
  action: publish,
};

interface PublishedRow {
  input: string;
  item: Published;
}

async function publish(call: Call): Promise<undefined> {
  const { config, options, terminal } = call;
  const filter = readJsonObject('--filter', (options['filter'] as string | undefined) ?? '{}');
  const say = (text: string) => terminal.stderr.write(`${text}\n`);
  const { client, credentials } = await openService({ config, env: terminal.env, version: '1.2', say });
  const rows = await reporting(publishAll(client, credentials.integration, filter), credentials.apiUrl);
  printResult(call, rows, options['quiet'] === true ? summary(rows) : report(rows));
}

async function publishAll(
  client: Client<'1.2'>,
  integration: string,
  filter: Record<string, unknown>,
): Promise<PublishedRow[]> {
  const rows: PublishedRow[] = [];
  for (let skip = 0; ; skip += pageSize) {
    const query = { filter, sort: ['input'], limit: pageSize, skip };
    const page = await client.call('admin.selectSignals', {
      integration,
      query,
      format: { dataAsArray: true },
    });
    const signals = page.data as unknown as SignalResource[];
    rows.push(...(await publishPage(client, integration, signals)));
    if (signals.length < pageSize) return rows;
  }
}

async function publishPage(
  client: Client<'1.2'>,
  integration: string,
  signals: readonly SignalResource[],
): Promise<PublishedRow[]> {
  if (signals.length === 0) return [];
  const itemsBySignal = Object.fromEntries(signals.map((signal) => [signal.id, itemOf(signal)]));
  const result = await client.call('admin.publishSignals', { integration, itemsBySignal });
  return signals.map(({ id, attributes }) => ({ input: attributes.input, item: result.itemsBySignal[id] }));
}

/** What an item takes from its signal: everything that describes it, but not the key, which is the integration's own. */
function itemOf({ id, meta, attributes }: SignalResource): object {
  const { input: _input, ...shared } = attributes;
  return {
    ...shared,
    visible: true,
    annotations: { [notes.signalId]: id, [notes.signalHash]: meta.attributesHash, [notes.itemHash]: '' },
  };
}

function outcomeOf({ created, updated }: Published): 'created' | 'updated' | 'unchanged' {
  return created ? 'created' : updated ? 'updated' : 'unchanged';
}

/** One line, for integrations with very many signals. */
function summary(rows: readonly PublishedRow[]): string {
  const counts = { created: 0, updated: 0, unchanged: 0 };
  for (const { item } of rows) counts[outcomeOf(item)]++;
  const { created, updated, unchanged } = counts;
  return `published ${counted(rows.length, 'signal')}: ${created} created, ${updated} updated, ${unchanged} unchanged`;
}

function report(rows: readonly PublishedRow[]): string {
  if (rows.length === 0) return 'no signal matches';
  return printTable(
    ['SIGNAL', 'ITEM', ''],
    rows.map(({ input, item }) => [input, item.id, outcomeOf(item)]),
  );
}
