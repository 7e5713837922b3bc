/** Where imported rows go: a running service, or the data directory itself. */
import { type Client, type CredentialsFile, type Params, ServiceError } from '#client';
import type { Domain } from '#domain/domain';
import { Columns, type Frame } from '#model/frame';
import type { Signal } from '#model/signal';
import { streamPieces } from '#protocol/arrow/stream-writer';
import type { DescribedCalculation, DescribedSignal } from './points/json-lines.ts';
import { halveFrame } from './points/point-batch.ts';
import { commandError, reporting } from './service-client.ts';
import { UsageError } from './usage.ts';

/** The signal of an input key. */
export interface TargetSignal {
  id: string;
  created: boolean;
}

/** What a signal is created with. */
export interface NewSignal {
  name: string;
  labels?: ReadonlyMap<string, readonly string[]>;
}

/** Takes what an import reads. Every call may be repeated without harm. */
export interface ImportTarget {
  /** Creates the signals of these input keys that do not exist yet. */
  create(signals: ReadonlyMap<string, NewSignal>): Promise<Map<string, TargetSignal>>;
  /** The states of signals by input key, number as text → name; without those of signals that cannot be read. */
  states(keys: readonly string[]): Promise<Map<string, ReadonlyMap<string, string>>>;
  /** Gives a signal these states, and `name` if it does not exist yet. Fails where its other attributes cannot be read. */
  declare(key: string, name: string, enumValues: ReadonlyMap<string, string>): Promise<TargetSignal>;
  /** Creates or updates signals with the items that they feed, as an export has described them. */
  describe(signals: readonly DescribedSignal[]): Promise<Map<string, TargetSignal>>;
  /** Saves a calculated item with its versions, as an export has described it. Why it cannot be saved, or null. */
  describeCalculation(item: DescribedCalculation): Promise<string | null>;
  /** Stores the values of a frame durably, bit for bit. */
  insertFrame(frame: Frame): Promise<Map<string, TargetSignal>>;
}

const signalsPerRead = 500;

type SignalsByInput = Params<'1.2', 'integration.saveSignals'>['signalsByInput'];

type ImportCalculation = Params<'1.2', 'admin.importCalculation'>;

/** The service, and as whom it is called. */
interface TargetService {
  client: Client<'1.2'>;
  credentials: Pick<CredentialsFile, 'integration' | 'apiUrl'>;
}

/** The attributes of a signal as the service shows them. */
type Attributes = Record<string, unknown> & { input?: string; enumValues?: Record<string, string> };

/**
 * The integration of a credentials file on its running service. A credential without the grant "admin" may declare the states of
 * signals that it creates, and cannot read those that exist.
 */
export class RemoteTarget implements ImportTarget {
  readonly #client: Client<'1.2'>;
  readonly #integration: string;
  readonly #apiUrl: string;
  /** Item in the export → item of the service. */
  readonly #items = new Map<string, string>();
  /** Of the signals that were read or declared, by input key. */
  readonly #attributes = new Map<string, Attributes>();

  constructor({ client, credentials }: TargetService) {
    this.#client = client;
    this.#integration = credentials.integration;
    this.#apiUrl = credentials.apiUrl;
  }

  create(signals: ReadonlyMap<string, NewSignal>): Promise<Map<string, TargetSignal>> {
    const attributes = [...signals].map(([key, { name, labels }]) => [
      key,
      { name, ...(labels === undefined ? {} : { labels: Object.fromEntries(labels) }) },
    ]);
    return this.#save(Object.fromEntries(attributes) as SignalsByInput, true);
  }

  async states(keys: readonly string[]): Promise<Map<string, ReadonlyMap<string, string>>> {
    for (let start = 0; start < keys.length; start += signalsPerRead) {
      await this.#read(keys.slice(start, start + signalsPerRead)).catch((error) => {
        if (!(error instanceof ServiceError) || error.kind !== 'rpc') throw commandError(error, this.#apiUrl);
      });
    }
    const statesOf = (key: string) => Object.entries(this.#attributes.get(key)?.enumValues ?? {});
    return new Map(keys.map((key) => [key, new Map(statesOf(key))]));
  }

  async declare(key: string, name: string, enumValues: ReadonlyMap<string, string>): Promise<TargetSignal> {
    const known = this.#attributes.get(key);
    const { input: _input, ...stored } = known ?? { name };
    const attributes = { ...stored, valueType: 'enum', enumValues: Object.fromEntries(enumValues) };
    const saved = await this.#save({ [key]: attributes } as SignalsByInput, known === undefined);
    const signal = saved.get(key) as TargetSignal;
    if (known === undefined && !signal.created) {
      throw new UsageError(
        `--states: the signal ${key} exists, and this credential may not read its states; use one with the grant "admin"`,
      );
    }
    this.#attributes.set(key, attributes);
    return signal;
  }

  /** What an insert answers. One whose body is too large for the service is done in halves, as long as there are any. */
  async #inserted<T>(
    send: () => Promise<{ signalsByInput: Record<string, TargetSignal> }>,
    halvesOf: () => readonly [T, T] | null,
    insert: (half: T) => Promise<Map<string, TargetSignal>>,
  ): Promise<Map<string, TargetSignal>> {
    try {
      const { signalsByInput } = await send();
      return new Map(Object.entries(signalsByInput));
    } catch (error) {
      const halves = error instanceof ServiceError && error.status === 413 ? halvesOf() : null;
      if (halves === null) throw commandError(error, this.#apiUrl);
      const first = await insert(halves[0]);
      return new Map([...(await insert(halves[1])), ...first]);
    }
  }

  async describe(signals: readonly DescribedSignal[]): Promise<Map<string, TargetSignal>> {
    const described = signals.map(({ input, attributes, annotations }) => [
      input,
      { ...attributes, annotations },
    ]);
    const saved = await this.#save(Object.fromEntries(described) as SignalsByInput, false);
    const idOf = ({ input }: DescribedSignal) => saved.get(input)?.id ?? '';
    for (const signal of signals) {
      if (signal.item === null) continue;
      const item = this.#items.get(signal.item.id);
      if (item !== undefined) await this.#connect(idOf(signal), item);
      else this.#items.set(signal.item.id, await this.#publish(idOf(signal), signal.item));
    }
    return saved;
  }

  async #publish(
    signal: string,
    { attributes, annotations }: NonNullable<DescribedSignal['item']>,
  ): Promise<string> {
    const itemsBySignal = { [signal]: { ...attributes, annotations } };
    const params = { integration: this.#integration, itemsBySignal };
    const published = await reporting(this.#client.call('admin.publishSignals', params), this.#apiUrl);
    return published.itemsBySignal[signal].id;
  }

  async #connect(signal: string, item: string): Promise<void> {
    const params = { integration: this.#integration, query: { filter: { id: signal } }, item };
    await reporting(this.#client.call('admin.connectSignals', params), this.#apiUrl);
  }

  /** Inputs that the file describes have the IDs that they got here; any other keeps its ID. */
  async describeCalculation({
    id,
    attributes,
    annotations,
    versions: described,
  }: DescribedCalculation): Promise<string | null> {
    const versions = described.map((version) => {
      const inputs = version.inputs.map((input) => ({ ...input, id: this.#items.get(input.id) ?? input.id }));
      return { ...version, inputs };
    });
    const item = { ...attributes, annotations };
    const params = { integration: this.#integration, id, item, versions };
    try {
      await this.#client.call('admin.importCalculation', params as ImportCalculation);
      return null;
    } catch (error) {
      if (!(error instanceof ServiceError) || error.kind !== 'rpc') throw commandError(error, this.#apiUrl);
      const problems = Object.entries(error.params).map(([path, texts]) => `${path} ${texts.join(', ')}`);
      return `is not saved: ${[error.message, ...problems].join('; ')}`;
    }
  }

  async insertFrame(frame: Frame): Promise<Map<string, TargetSignal>> {
    const stream = new Uint8Array(Buffer.concat([...streamPieces(frame, new Map())]));
    return this.#inserted(
      () => this.#client.insertArrow(this.#integration, stream),
      () => halveFrame(frame),
      (half) => this.insertFrame(half),
    );
  }

  async #save(signalsByInput: SignalsByInput, createOnly: boolean): Promise<Map<string, TargetSignal>> {
    const params = { integration: this.#integration, signalsByInput, createOnly };
    const saved = await reporting(this.#client.call('integration.saveSignals', params), this.#apiUrl);
    return new Map(Object.entries(saved.signalsByInput));
  }

  async #read(keys: readonly string[]): Promise<void> {
    const page = await this.#client.call('admin.selectSignals', {
      integration: this.#integration,
      query: { filter: { input: { $in: keys } }, limit: signalsPerRead },
      format: { dataAsArray: true },
    });
    const data = page.data as unknown as { attributes: Attributes }[];
    for (const { attributes } of data) this.#attributes.set(String(attributes.input), attributes);
  }
}

/** An integration of an opened data directory. Throws {@link UsageError} when it has no such integration. */
export async function directTarget(domain: Domain, integration: string): Promise<ImportTarget> {
  const known = await domain.identity.listIntegrations();
  if (!known.some(({ id }) => id === integration)) {
    throw new UsageError(`--integration: unknown integration ${JSON.stringify(integration)}`);
  }
  const read = async (keys: readonly string[]): Promise<Signal[]> => {
    const filter = { op: 'in', path: { field: 'input' }, values: keys } as const;
    const query = { filter, sort: [], limit: keys.length, skip: 0, total: false };
    return (await domain.signals.selectSignals(query, integration)).records;
  };
  const insert = async (columns: Columns) => {
    const account = domain.quota.accountOf(integration);
    const { inputs, signals } = await domain.ingest.insert(integration, columns, account);
    return new Map(
      inputs.map((input, i) => [input, { id: signals[i].id, created: signals[i].created === true }]),
    );
  };
  return {
    create: (signals) => domain.signals.save(integration, signals, { createOnly: true }),
    states: async (keys) =>
      new Map((await read(keys)).map(({ input, attributes }) => [input, attributes.enumValues])),
    async declare(key, name, enumValues) {
      const [stored] = await read([key]);
      const change = { ...(stored?.attributes ?? { name }), valueType: 'enum', enumValues };
      const saved = await domain.signals.save(integration, new Map([[key, change]]), { createOnly: false });
      return saved.get(key) as TargetSignal;
    },
    describe: refuseDescription,
    describeCalculation: refuseDescription,
    insertFrame: (frame) => insert(columnsOf(frame)),
  };
}

async function refuseDescription(): Promise<never> {
  throw new UsageError(
    'the file describes signals, which takes --credentials of an integration with the grant "admin"',
  );
}

function columnsOf({ timesUs, series }: Frame): Columns {
  const values = new Float64Array(timesUs.length * series.size);
  let pointCount = 0;
  for (const [i, column] of [...series.values()].entries()) {
    values.set(column, i * timesUs.length);
    for (const value of column) if (!Number.isNaN(value)) pointCount++;
  }
  return new Columns(timesUs, [...series.keys()], values, pointCount);
}

/** Takes what an import reads, and changes nothing. Only states are read from `target`. */
export function dryTarget(target: ImportTarget): ImportTarget {
  return {
    states: (keys) => target.states(keys),
    create: async (signals) => named(signals.keys()),
    declare: async () => ({ id: '', created: false }),
    describe: async (signals) => named(signals.map(({ input }) => input)),
    describeCalculation: async () => null,
    insertFrame: async ({ series }) => named(series.keys()),
  };
}

function named(keys: Iterable<string>): Map<string, TargetSignal> {
  return new Map([...keys].map((key) => [key, { id: '', created: false }]));
}
