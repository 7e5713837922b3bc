/** Calls of the console: JSON-RPC over the client, signed by the cookie of the session. */
import {
  keepPreviousData,
  type QueryKey,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { Client, ServiceError, systemEnvironment, type Version } from '@tidemark/client';
import { baseUrl } from './base.ts';
import { RpcError } from './rpc-error.ts';

/** The API version that the console speaks. */
export const apiVersion = '1.2' satisfies Version;

let csrfToken: string | undefined;

/** Sets the token that goes with every call; undefined while nobody is signed in. */
export function setCsrfToken(token: string | undefined): void {
  csrfToken = token;
}

/** How a call differs from the usual. */
export interface CallOptions {
  signal?: AbortSignal;
  /** The API version; default {@link apiVersion}. */
  version?: Version;
  /** Default: one whose answers are read with `JSON.parse`. */
  client?: Client;
}

const client = clientReading(null);

/** A client whose answers are read in another way than with `JSON.parse`: bytes of an answer → what they say. */
export function clientReading(read: ((bytes: ArrayBuffer) => Promise<unknown>) | null): Client {
  const fetchAndRead = async (url: string, init: RequestInit) => {
    const response = await systemEnvironment.fetch(url, init);
    if (read === null || response.status !== 200) return response;
    return Object.defineProperty(response, 'json', {
      value: async () => read(await response.arrayBuffer()),
    });
  };
  return new Client({
    apiUrl: `${baseUrl}v1/`,
    credentials: { type: 'session', csrfToken: () => csrfToken },
    version: apiVersion,
    environment: { ...systemEnvironment, fetch: fetchAndRead },
  });
}

/** Calls a method. Fails with an {@link RpcError}, or with the signal's reason. */
export async function call<Result>(
  method: string,
  params: object = {},
  { signal, version = apiVersion, client: chosen = client }: CallOptions = {},
): Promise<Result> {
  try {
    const of = version === apiVersion ? chosen : chosen.withVersion(version);
    return (await of.callAny(method, params, signal ? { signal } : {})) as Result;
  } catch (error) {
    throw error instanceof ServiceError ? rpcErrorOf(error) : error;
  }
}

/** The headers of a call that is made without the client: for the page that shows calls as they are. */
export function callHeaders(version: string): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    'X-API-Version': version,
    ...(csrfToken ? { 'X-CSRF-Token': csrfToken } : {}),
  };
}

/** The client puts the first problems into its message; here they stand at their fields. */
function rpcErrorOf({ message, kind, code, status, trace, params }: ServiceError): RpcError {
  const hasParams = Object.keys(params).length > 0;
  const words =
    kind === 'network' || kind === 'timeout'
      ? 'The service cannot be reached. Is it running, and is the network up?'
      : message;
  return new RpcError(hasParams ? (words.split('; ')[0] ?? words) : words, {
    code: code ?? 0,
    status: status ?? 0,
    trace,
    params,
  });
}

/** The key under which an answer is kept. */
export function rpcKey(method: string, params: object = {}): QueryKey {
  return [method, params];
}

/** What {@link useRpc} takes beside the call. */
export interface RpcQueryOptions {
  isEnabled?: boolean;
  /** Asks again this often, ms; false: never. */
  refetchMs?: number | false;
  /** Shows the answer to the parameters before while the next is under way. */
  keepPrevious?: boolean;
  version?: Version;
}

/** The answer to a call, kept and shared; asks again when the parameters change. */
export function useRpc<Result>(method: string, params: object = {}, options: RpcQueryOptions = {}) {
  const { isEnabled = true, refetchMs = false, keepPrevious = false, version } = options;
  return useQuery<Result, Error>({
    queryKey: version ? [method, params, version] : rpcKey(method, params),
    queryFn: ({ signal }) => call<Result>(method, params, version ? { signal, version } : { signal }),
    enabled: isEnabled,
    refetchInterval: refetchMs,
    ...(keepPrevious ? { placeholderData: keepPreviousData } : {}),
  });
}

/** A call that changes something; afterwards the answers of the methods named are asked for again. */
export function useRpcChange<Params extends object, Result = unknown>(
  method: string,
  renewed: readonly string[],
) {
  const queries = useQueryClient();
  return useMutation<Result, Error, Params>({
    mutationFn: (params) => call<Result>(method, params),
    onSuccess: () => renew(queries, renewed),
  });
}

/** Marks the answers of methods as out of date. */
export function renew(queries: ReturnType<typeof useQueryClient>, methods: readonly string[]): Promise<void> {
  return queries.invalidateQueries({ predicate: ({ queryKey }) => methods.includes(String(queryKey[0])) });
}
