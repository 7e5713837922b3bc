/** Data of the visible rows, requested when scrolling pauses. */
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { call, type Method, type ParamsOf, type ResultOf } from '../platform/rpc/rpc.ts';

const restMs = 150;
const idsMax = 200;
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

/** The answers of a method for the rows in sight, and for those seen before. */
export function useFactsInSight<M extends FactMethod>(
  method: M,
  ids: readonly string[],
  refetchMs: number | false,
): ReadonlyMap<string, FactOf<M>> {
  const wanted = useRested(ids.slice(0, idsMax).join(','));
  const kept = useRef(new Map<string, FactOf<M>>());
  const query = useQuery({
    queryKey: [method, { ids: wanted }],
    queryFn: async ({ signal }) => {
      const answer = await call<FactMethod>(method, { ids: wanted.split(',') }, { signal });
      return answer.byId as Record<string, FactOf<M>>;
    },
    enabled: wanted !== '',
    refetchInterval: refetchMs,
  });
  const latest = query.data;
  const [facts, setFacts] = useState<ReadonlyMap<string, FactOf<M>>>(kept.current);
  useEffect(() => {
    if (!latest) return;
    if (kept.current.size > keptMax) kept.current = new Map();
    for (const [id, fact] of Object.entries(latest)) kept.current.set(id, fact);
    setFacts(new Map(kept.current));
  }, [latest]);
  return facts;
}

/** A value when it has not changed for {@link restMs}. */
export function useRested(value: string): string {
  const [rested, setRested] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), restMs);
    return () => clearTimeout(timer);
  }, [value]);
  return rested;
}
