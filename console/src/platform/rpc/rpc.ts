/** Calls of the console: JSON-RPC over the client, signed by the cookie of the session. */
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import {
  Client,
  type MethodName,
  type Params,
  type Result,
  ServiceError,
  systemEnvironment,
  type Version,
} from '@tidemark/client';
import type { DataFrame } from '@tidemark/client/wire';
import { baseUrl } from './base.ts';
import { noteReached } from './reach.ts';
import { notReached, RpcError } from './rpc-error.ts';

/** The API version that the console speaks. */
export const apiVersion = '1.2' satisfies Version;

let csrfToken: string | undefined;

/** Sets the token that is sent with every call; undefined while no person is signed in. */
export function setCsrfToken(token: string | undefined): void {
  csrfToken = token;
}

/** That token; empty while no person is signed in. */
export function sessionToken(): string {
  return csrfToken ?? '';
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

/** The client of the session, for live values. */
export const liveClient: Pick<Client, 'live'> = client;

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

/** The name of a method in {@link apiVersion}. */
export type Method = MethodName<typeof apiVersion>;

/** What a method takes. */
export type ParamsOf<M extends Method> = Immutable<Params<typeof apiVersion, M>>;

/** What a method answers in the formats that the console asks for: resources as lists, a single frame. */
export type ResultOf<M extends Method> =
  Result<typeof apiVersion, M> extends infer R
    ? { [K in keyof R]: K extends 'data' | 'included' ? UsualFormat<R[K]> : R[K] }
    : never;

type Immutable<T> = T extends object ? { readonly [K in keyof T]: Immutable<T[K]> } : T;

/** Without lists of frames, maps by ID, and `included` by type. */
type UsualFormat<D> = D extends DataFrame[] | { items: unknown }
  ? never
  : D extends readonly unknown[] | undefined | DataFrame
    ? D
    : string extends keyof D
      ? never
      : D;

/** Calls a method. Fails with an {@link RpcError}, or with the signal's reason. */
export function call<M extends Method>(
  method: M,
  params: ParamsOf<M>,
  options: Omit<CallOptions, 'version'> = {},
): Promise<ResultOf<M>> {
  return callAny(method, params as object, options) as Promise<ResultOf<M>>;
}

/** Calls a method that is known by its name only, or in another version. Fails as {@link call}. */
export async function callAny(
  method: string,
  params: object = {},
  { signal, version = apiVersion, client: chosen = client }: CallOptions = {},
): Promise<unknown> {
  try {
    const of = version === apiVersion ? chosen : chosen.withVersion(version);
    const answer = await of.callAny(method, params, signal ? { signal } : {});
    noteReached(true);
    return answer;
  } catch (error) {
    if (error instanceof ServiceError) noteReached(!isLost(error));
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

function isLost({ kind }: Pick<ServiceError, 'kind'>): boolean {
  return kind === 'network' || kind === 'timeout';
}

/** The client puts the first problems into its message; here they are shown at their fields. */
function rpcErrorOf({ message, kind, code, status, trace, params }: ServiceError): RpcError {
  const hasParams = Object.keys(params).length > 0;
  const words = isLost({ kind }) ? notReached().message : message;
  return new RpcError(hasParams ? (words.split('; ')[0] ?? words) : words, {
    code: code ?? 0,
    status: status ?? 0,
    trace,
    params,
  });
}

interface RpcQueryOptions {
  isEnabled?: boolean;
  /** Asks again this often, ms; false: never. */
  refetchMs?: number | false;
  /** Shows the answer to the parameters before while the next is under way. */
  keepPrevious?: boolean;
}

/** The answer to a call, kept and shared; asks again when the parameters change. */
export function useRpc<M extends Method>(
  method: M,
  params: ParamsOf<M> = noParams as ParamsOf<M>,
  { isEnabled = true, refetchMs = false, keepPrevious = false }: RpcQueryOptions = {},
) {
  return useQuery<ResultOf<M>, Error>({
    queryKey: [method, params],
    queryFn: ({ signal }) => call(method, params, { signal }),
    enabled: isEnabled,
    refetchInterval: refetchMs,
    ...(keepPrevious ? { placeholderData: keepPreviousData } : {}),
  });
}

const noParams = {};

/** A call that changes something; then the answers of the methods named are requested again, then `onDone` runs. */
export function useRpcChange<M extends Method>(
  method: M,
  renewed: readonly Method[],
  onDone?: (result: ResultOf<M>, params: ParamsOf<M>) => void,
) {
  const queries = useQueryClient();
  return useMutation<ResultOf<M>, Error, ParamsOf<M>>({
    mutationFn: (params) => call(method, params),
    onSuccess: async (result, params) => {
      await renew(queries, renewed);
      onDone?.(result, params);
    },
  });
}

/** Marks the answers of methods as out of date. */
export function renew(queries: ReturnType<typeof useQueryClient>, methods: readonly string[]): Promise<void> {
  return queries.invalidateQueries({ predicate: ({ queryKey }) => methods.includes(String(queryKey[0])) });
}
