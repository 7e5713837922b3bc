/** Facts about the rows in sight, asked for when scrolling rests. */
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { call } from '../platform/rpc/rpc.ts';

const restMs = 150;
const idsMax = 200;
const keptMax = 2000;

/** The answers of `method` `{ids} → {byId}` for the rows in sight, and for those seen before. */
export function useFactsInSight<Fact>(
  method: string,
  ids: readonly string[],
  refetchMs: number | false,
): ReadonlyMap<string, Fact> {
  const wanted = useRested(ids.slice(0, idsMax).join(','));
  const kept = useRef(new Map<string, Fact>());
  const query = useQuery({
    queryKey: [method, { ids: wanted }],
    queryFn: ({ signal }) =>
      call<{ byId: Record<string, Fact> }>(method, { ids: wanted.split(',') }, { signal }),
    enabled: wanted !== '',
    refetchInterval: refetchMs,
  });
  const latest = query.data?.byId;
  const [facts, setFacts] = useState<ReadonlyMap<string, Fact>>(kept.current);
  useEffect(() => {
    if (!latest) return;
    if (kept.current.size > keptMax) kept.current = new Map();
    for (const [id, fact] of Object.entries(latest)) kept.current.set(id, fact);
    setFacts(new Map(kept.current));
  }, [latest]);
  return facts;
}

/** A value when it has not changed for a moment. */
export function useRested(value: string): string {
  const [rested, setRested] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), restMs);
    return () => clearTimeout(timer);
  }, [value]);
  return rested;
}
