/** A service with two integrations, whose answers are foreseeable: a fixed clock, seeded chance, and known names for IDs. */
import { newIntegration, startService } from '../../support/service.ts';

/** A placeholder for the ID of the integration with every grant. */
export const owner = 'c2mo5rac8v1dtfnta5e0';
/** A placeholder for the ID of an integration that may only write its own signals. */
export const logger = 'c618rbfqfsj7mjkj0sg0';
/** An ID that nothing has. */
export const nobody = '00000000000000000000';

/** The ID of a signal by its input key, or with `item of` before it, of its item; of what earlier calls have made. */
export type IdOf = (name: string) => string;

/** One JSON-RPC call. */
export interface Call {
  /** Default 1.1. */
  version?: string;
  method: string;
  /** A function may name what earlier calls have made. */
  params?: object | ((id: IdOf) => object);
  /** The integration that calls; default: the one with every grant. */
  as?: string;
}

/** What a call was answered with. */
export interface Answer {
  result?: unknown;
  error?: unknown;
}

/** A running service. */
export interface Plant {
  call(call: Call): Promise<Answer>;
  close(): Promise<void>;
}

const headers = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' };

/** Starts a service that knows two integrations and nothing else. Each call takes a second of its clock. */
export async function startPlant(): Promise<Plant> {
  const service = await startService();
  const integrations = new Map([
    [owner, service],
    [logger, await newIntegration(service.identity, [])],
  ]);
  const made = new Map<string, string>();
  const idOf = (name: string) => made.get(name) ?? fail(`no call has made ${name}`);
  return {
    async call({ version = '1.1', method, params, as = owner }) {
      service.clock.advance(1);
      const given = typeof params === 'function' ? params(idOf) : params;
      const { authorization } = integrations.get(as) ?? fail(`no integration ${as}`);
      const sent = swap(
        given,
        [...integrations].map(([name, { integration }]) => [name, integration]),
      );
      const body = await service.call(method, sent, { version, authorization, headers });
      const { result, error } = swap(
        body,
        [...integrations].map(([name, { integration }]) => [integration, name]),
      );
      learnIds(result, made);
      return error === undefined ? { result } : { error };
    },
    close: () => service.close(),
  };
}

function fail(message: string): never {
  throw new Error(message);
}

/** Replaces some IDs by others, wherever they occur. */
function swap<T>(value: T, pairs: readonly (readonly [string, string])[]): T {
  if (value === undefined) return value;
  const text = pairs.reduce((text, [from, to]) => text.replaceAll(from, to), JSON.stringify(value));
  return JSON.parse(text);
}

type Summaries = Record<string, { id: string }>;

/** Notes the IDs of a save's summaries. */
function learnIds(result: unknown, made: Map<string, string>): void {
  const { signalsByInput = {}, itemsBySignal = {} } = (result ?? {}) as Record<string, Summaries>;
  for (const [input, { id }] of Object.entries(signalsByInput)) made.set(input, id);
  for (const [signal, { id }] of Object.entries(itemsBySignal)) {
    for (const [input, known] of [...made]) if (known === signal) made.set(`item of ${input}`, id);
  }
}
