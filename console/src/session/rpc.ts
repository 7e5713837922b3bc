/** Calls of the console: JSON-RPC over the client, signed by the cookie of the session. */
import {
  keepPreviousData,
  type QueryKey,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { rpcUrl } from './base.ts';
import { RpcError } from './rpc-error.ts';

/** The API version that the console speaks. */
export const apiVersion = '1.2';

let csrfToken: string | undefined;

/** Sets the token that goes with every call; undefined while nobody is signed in. */
export function setCsrfToken(token: string | undefined): void {
  csrfToken = token;
}

/** How a call differs from the usual. */
export interface CallOptions {
  signal?: AbortSignal;
  /** The API version; default {@link apiVersion}. */
  version?: string;
}

/** Calls a method. Fails with an {@link RpcError}, or with the signal's reason. */
export async function call<Result>(
  method: string,
  params: object = {},
  { signal, version = apiVersion }: CallOptions = {},
): Promise<Result> {
  const response = await fetch(rpcUrl, {
    method: 'POST',
    credentials: 'same-origin',
    headers: {
      'Content-Type': 'application/json',
      'X-API-Version': version,
      ...(csrfToken ? { 'X-CSRF-Token': csrfToken } : {}),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    ...(signal ? { signal } : {}),
  });
  const answer = await response.json().catch(() => null);
  if (!response.ok) {
    throw new RpcError(answer?.detail ?? answer?.title ?? `HTTP ${response.status}`, {
      status: response.status,
    });
  }
  if (answer.error) {
    throw new RpcError(answer.error.message, {
      code: answer.error.code,
      status: 200,
      trace: answer.error.data?.trace ?? null,
      params: answer.error.data?.params ?? {},
    });
  }
  return answer.result as Result;
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
  version?: string;
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
