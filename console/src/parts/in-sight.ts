/** Data of the visible rows, requested when scrolling pauses. */
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { call, type Method, type ParamsOf, type ResultOf } from '../platform/rpc/rpc.ts';

const restMs = 150;
const keptMax = 2000;

/** Methods that answer `{ids}` with `{byId}`. */
type FactMethod = {
  [M in Method]: { ids: string[] } extends ParamsOf<M>
    ? ResultOf<M> extends { byId: Record<string, unknown> }
      ? M
      : never
    : never;
}[Method];

type FactOf<M extends FactMethod> = ResultOf<M> extends { byId: Record<string, infer Fact> } ? Fact : never;

/** The answers of a method for the visible rows, and for those seen before. */
export function useFactsInSight<M extends FactMethod>(
  method: M,
  ids: readonly string[],
  refetchMs: number,
): ReadonlyMap<string, FactOf<M>> {
  const load = async (wanted: string[], signal: AbortSignal) => {
    const { byId } = await call<FactMethod>(method, { ids: wanted }, { signal });
    return byId as Record<string, FactOf<M>>;
  };
  return useFactsOf(method, ids, load, { refetchMs });
}

interface FactOptions {
  /** The number of rows that one call can be about; default 200. */
  idsMax?: number;
  /** Requested again after this time; default never. */
  refetchMs?: number;
  /** Not requested again for the same rows before this time. */
  staleMs?: number;
}

/** What `load` returns for the visible rows, and for those seen before; `method` renews it when it is named as changed. */
export function useFactsOf<Fact>(
  method: Method,
  ids: readonly string[],
  load: (ids: string[], signal: AbortSignal) => Promise<Record<string, Fact>>,
  { idsMax = 200, refetchMs, staleMs }: FactOptions,
): ReadonlyMap<string, Fact> {
  const wanted = useRested(ids.slice(0, idsMax).join(','));
  const kept = useRef(new Map<string, Fact>());
  const [facts, setFacts] = useState<ReadonlyMap<string, Fact>>(kept.current);
  const { data: latest } = useQuery({
    queryKey: [method, 'in sight', wanted],
    queryFn: ({ signal }) => load(wanted.split(','), signal),
    enabled: wanted !== '',
    refetchInterval: refetchMs ?? false,
    ...(staleMs === undefined ? {} : { staleTime: staleMs }),
  });
  useEffect(() => {
    if (!latest) return;
    if (kept.current.size > keptMax) kept.current = new Map();
    for (const [id, fact] of Object.entries(latest)) kept.current.set(id, fact);
    setFacts(new Map(kept.current));
  }, [latest]);
  return facts;
}

/** A value once it has not changed for so long, ms. */
export function useRested(value: string, afterMs = restMs): string {
  const [rested, setRested] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), afterMs);
    return () => clearTimeout(timer);
  }, [value, afterMs]);
  return rested;
}
