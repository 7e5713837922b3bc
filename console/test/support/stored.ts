/** Items that the service of a test file has, and further ones with points of a test's own. */
import { call, service } from './console.ts';

/** IDs by name, of at most fifty items that a filter matches. */
export async function itemsByName(filter: object = {}): Promise<Map<string, string>> {
  const { data } = (await call('service.selectItems', { query: { filter, limit: 50 } })) as {
    data: { id: string; attributes: { name: string } }[];
  };
  return new Map(data.map(({ id, attributes }) => [attributes.name, id]));
}

/** A credential of an integration, with its secret. */
export async function makeCredential(integration: string, type: 'basic-auth' | 'client-credentials') {
  const { file } = (await call('console.credentials.create', { integration, type, label: 'test' })) as {
    file: { credentials: { clientId: string; clientSecret: string } };
  };
  return file.credentials;
}

/** An item whose points an integration of its own inserts. */
export interface FedItem {
  id: string;
  /** The Basic pair of its integration; the input key is `input`. */
  login: { username: string; password: string };
  /** Inserts values at these seconds. */
  insert(timesS: readonly number[], values: readonly number[]): Promise<void>;
}

/** An integration of its own inserts points, and they are published as an item with these attributes. Gives its ID. */
export async function storeItem(
  attributes: { name: string } & Record<string, unknown>,
  timesS: readonly number[],
  values: readonly number[],
): Promise<string> {
  return (await feedItem(attributes, timesS, values)).id;
}

/** As {@link storeItem}, with a way to insert further points. */
export async function feedItem(
  attributes: { name: string } & Record<string, unknown>,
  timesS: readonly number[],
  values: readonly number[],
): Promise<FedItem> {
  const { id: integration } = (await call('console.integrations.create', { name: attributes.name })) as {
    id: string;
  };
  const { clientId, clientSecret } = await makeCredential(integration, 'basic-auth');
  const authorization = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
  const insert = async (times: readonly number[], input: readonly number[]): Promise<string> => {
    const params = { integration, data: { times, series: { input } } };
    const response = await fetch(`${service.url}/v1/rpc`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: authorization },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'integration.insert', params }),
    });
    const { result } = (await response.json()) as { result: { signalsByInput: { input: { id: string } } } };
    return result.signalsByInput.input.id;
  };
  const signal = await insert(timesS, values);
  const { itemsBySignal } = (await call('admin.publishSignals', {
    integration,
    itemsBySignal: { [signal]: { visible: true, ...attributes } },
  })) as { itemsBySignal: Record<string, { id: string }> };
  return {
    id: itemsBySignal[signal]!.id,
    login: { username: clientId, password: clientSecret },
    insert: async (times, input) => void (await insert(times, input)),
  };
}
