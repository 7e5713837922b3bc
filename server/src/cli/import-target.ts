/** Where imported rows go: a running service, or the data directory itself. */
import { type Client, type Params, ServiceError } from '#client';
import type { Domain } from '#domain/domain';
import { readFrame } from '#domain/ingest/columns';
import type { Signal } from '#model/signal';
import { halve, type InsertFrame, type RowBatch } from './csv/batches.ts';
import { commandError, reporting, type Service } from './service-client.ts';
import { UsageError } from './usage.ts';

/** The signal of an input key. */
export interface TargetSignal {
  id: string;
  created: boolean;
}

/** Takes what an import reads. Every call may be repeated without harm. */
export interface ImportTarget {
  /** Creates signals that do not exist yet, under these names by input key. */
  name(names: ReadonlyMap<string, string>): Promise<Map<string, TargetSignal>>;
  /** The states of signals by input key, number as text → name; without those of signals that cannot be read. */
  states(keys: readonly string[]): Promise<Map<string, ReadonlyMap<string, string>>>;
  /** Gives a signal these states, and `name` if it does not exist yet. Fails where its other attributes cannot be read. */
  declare(key: string, name: string, enumValues: ReadonlyMap<string, string>): Promise<TargetSignal>;
  /** Stores a batch durably. */
  insert(batch: RowBatch): Promise<Map<string, TargetSignal>>;
}

/** The integration of a credentials file on its running service. */
export function remoteTarget({ client, credentials }: Service<'1.2'>): ImportTarget {
  const { integration, apiUrl } = credentials;
  async function insert(batch: RowBatch): Promise<Map<string, TargetSignal>> {
    try {
      const { signalsByInput } = await client.call('integration.insert', { integration, data: batch.frame });
      return new Map(Object.entries(signalsByInput));
    } catch (error) {
      const halves = error instanceof ServiceError && error.status === 413 ? halve(batch) : null;
      if (halves === null) throw commandError(error, apiUrl);
      const first = await insert(halves[0]);
      return new Map([...(await insert(halves[1])), ...first]);
    }
  }
  return {
    insert,
    ...remoteStates(client, integration, apiUrl),
    async name(names) {
      const signalsByInput = Object.fromEntries([...names].map(([key, name]) => [key, { name }]));
      const params = { integration, signalsByInput, createOnly: true };
      const saved = await reporting(client.call('integration.saveSignals', params), apiUrl);
      return new Map(Object.entries(saved.signalsByInput));
    },
  };
}

const signalsPerRead = 500;

/** What a signal was saved with. */
type Attributes = Record<string, unknown> & { input?: string; enumValues?: Record<string, string> };

/** A credential without the grant "admin" may declare the states of signals that it creates, and cannot read those that exist. */
function remoteStates(
  client: Client<'1.2'>,
  integration: string,
  apiUrl: string,
): Pick<ImportTarget, 'states' | 'declare'> {
  const known = new Map<string, Attributes>();
  async function read(keys: readonly string[]): Promise<void> {
    const query = { filter: { input: { $in: keys } }, limit: signalsPerRead };
    const page = await client.call('admin.selectSignals', {
      integration,
      query,
      format: { dataAsArray: true },
    });
    const data = page.data as unknown as { attributes: Attributes }[];
    for (const { attributes } of data) known.set(String(attributes.input), attributes);
  }
  return {
    async states(keys) {
      for (let start = 0; start < keys.length; start += signalsPerRead) {
        await read(keys.slice(start, start + signalsPerRead)).catch((error) => {
          if (!(error instanceof ServiceError) || error.kind !== 'rpc') throw commandError(error, apiUrl);
        });
      }
      return new Map(
        keys.map((key) => [key, new Map(Object.entries(known.get(key)?.enumValues ?? {}))] as const),
      );
    },
    async declare(key, name, enumValues) {
      const { input: _input, ...stored } = known.get(key) ?? { name };
      const attributes = { ...stored, valueType: 'enum', enumValues: Object.fromEntries(enumValues) };
      const createOnly = !known.has(key);
      const signalsByInput = { [key]: attributes } as Params<
        '1.2',
        'integration.saveSignals'
      >['signalsByInput'];
      const params = { integration, signalsByInput, createOnly };
      const result = await reporting(client.call('integration.saveSignals', params), apiUrl);
      if (createOnly && !result.signalsByInput[key].created) {
        throw new UsageError(
          `--states: the signal ${key} exists, and this credential may not read its states; use one with the grant "admin"`,
        );
      }
      known.set(key, attributes);
      return result.signalsByInput[key];
    },
  };
}

function directStates(domain: Domain, integration: string): Pick<ImportTarget, 'states' | 'declare'> {
  async function read(keys: readonly string[]): Promise<Signal[]> {
    const filter = { op: 'in', path: { field: 'input' }, values: keys } as const;
    const query = { filter, sort: [], limit: keys.length, skip: 0, total: false };
    return (await domain.signals.selectSignals(query, integration)).records;
  }
  return {
    states: async (keys) =>
      new Map((await read(keys)).map(({ input, attributes }) => [input, attributes.enumValues])),
    async declare(key, name, enumValues) {
      const [stored] = await read([key]);
      const change = { ...(stored?.attributes ?? { name }), valueType: 'enum', enumValues };
      const saved = await domain.signals.save(integration, new Map([[key, change]]), { createOnly: false });
      return saved.get(key) as TargetSignal;
    },
  };
}

/** An integration of an opened data directory. Throws {@link UsageError} when it has no such integration. */
export async function directTarget(domain: Domain, integration: string): Promise<ImportTarget> {
  const known = await domain.identity.listIntegrations();
  if (!known.some(({ id }) => id === integration)) {
    throw new UsageError(`--integration: unknown integration ${JSON.stringify(integration)}`);
  }
  return {
    ...directStates(domain, integration),
    insert: async ({ frame }: { frame: InsertFrame }) => {
      const account = domain.quota.accountOf(integration);
      const { inputs, signals } = await domain.ingest.insert(integration, readFrame(frame), account);
      return new Map(
        inputs.map((input, i) => [input, { id: signals[i].id, created: signals[i].created === true }]),
      );
    },
    name: (names) => {
      const changes = new Map([...names].map(([key, name]) => [key, { name }]));
      return domain.signals.save(integration, changes, { createOnly: true });
    },
  };
}
