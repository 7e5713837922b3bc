/** `tidemark publish`: makes the signals of an integration readable, as they are. */
import { type Command, Option } from 'commander';
import { type Call, define, type Runner } from './command.ts';
import { Remote } from './remote.ts';
import { requireCredentials } from './remote-credentials.ts';
import { printJson, printTable } from './terminal.ts';
import { UsageError } from './usage.ts';

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
 * Annotations of an item that say what it was made from. The console notes the item's own hash as well; a note of its that
 * is older than this publishing is taken away, and states then follow from what differs.
 */
const notes = {
  signalId: 'tidemark/publish/signal-id',
  signalHash: 'tidemark/publish/signal-hash',
  itemHash: 'tidemark/publish/item-hash',
} as const;

const pageSize = 500;

/** Adds the command. */
export function definePublish(root: Command, run: Runner): void {
  const command = define(root, run, {
    usage: 'publish',
    summary: 'publish the signals of an integration as items, with the meta-data that they have',
    settings: ['credentials'],
    options: [new Option('--filter <JSON>', 'only signals that match, for example {"labels.site":"north"}')],
    action: publish,
  });
  command.addHelpText('after', help);
}

const help = `
Needs a credentials file whose integration has the grant "admin". A signal without an item gets one; the item of another
is brought up to the signal's meta-data. Publishing again changes nothing.`;

async function publish({ config, options, terminal }: Call): Promise<undefined> {
  const credentials = await requireCredentials(config.settings.credentials);
  const remote = new Remote({ credentials, apiVersion: '1.2' });
  const { integration } = credentials;
  const filter = parseFilter(options['filter'] as string | undefined);
  const rows: { input: string; item: Published }[] = [];
  for (let skip = 0; ; skip += pageSize) {
    const query = { filter, sort: ['input'], limit: pageSize, skip };
    const params = { integration, query, format: { dataAsArray: true } };
    const { data } = await remote.call<{ data: SignalResource[] }>('admin.selectSignals', params);
    rows.push(...(await publishPage(remote, integration, data)));
    if (data.length < pageSize) break;
  }
  terminal.stdout.write(config.settings.json ? printJson(rows) : report(rows));
}

async function publishPage(remote: Remote, integration: string, signals: readonly SignalResource[]) {
  if (signals.length === 0) return [];
  const itemsBySignal = Object.fromEntries(signals.map((signal) => [signal.id, itemOf(signal)]));
  const result = await remote.call<{ itemsBySignal: Record<string, Published> }>('admin.publishSignals', {
    integration,
    itemsBySignal,
  });
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

function report(rows: readonly { input: string; item: Published }[]): string {
  const word = ({ created, updated }: Published) => (created ? 'created' : updated ? 'updated' : 'unchanged');
  if (rows.length === 0) return 'no signal matches\n';
  return printTable(
    ['SIGNAL', 'ITEM', ''],
    rows.map(({ input, item }) => [input, item.id, word(item)]),
  );
}

function parseFilter(text: string | undefined): unknown {
  if (text === undefined) return {};
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`--filter must be JSON: ${(error as Error).message}`);
  }
}
