/** The newest values of visible items as they change, without asking again. */
import type { SignalStatus } from '@tidemark/client/wire';
import { useEffect, useMemo, useState } from 'react';
import { useRested } from '../../parts/in-sight.ts';
import { followItems } from '../../platform/rpc/live.ts';
import { newer } from './newer.ts';

/** Values that come within this time are shown together, ms. */
const showMs = 250;

/** More items than this are not followed. */
const itemsMax = 200;

type Statuses = ReadonlyMap<string, SignalStatus | null>;

/** Statuses that were asked for, with what has come since. */
export function useLiveStatuses(ids: readonly string[], asked: Statuses): Statuses {
  const key = useRested(ids.slice(0, itemsMax).join(','));
  const [live, setLive] = useState<ReadonlyMap<string, SignalStatus>>(new Map());
  useEffect(() => {
    if (key === '') return;
    const newest = new Map<string, SignalStatus>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const show = () => {
      timer = undefined;
      setLive(new Map(newest));
    };
    const ids = key.split(',');
    // As a query: calculated items among them are left out.
    const end = followItems(
      { query: { filter: { id: { $in: ids } }, limit: ids.length } },
      {
        onEvent(event) {
          if (event.kind === 'reset') newest.clear();
          else
            for (const [id, { times, values }] of Object.entries(event.items))
              newest.set(id, newer(newest.get(id), { lastTime: times.at(-1)!, lastValue: values.at(-1)! }));
          timer ??= setTimeout(show, showMs);
        },
        // They are asked for every few seconds as well.
        onFailure: () => {},
      },
    );
    return () => {
      end();
      clearTimeout(timer);
    };
  }, [key]);
  return useMemo(() => {
    const statuses = new Map(asked);
    for (const [id, status] of live) statuses.set(id, newer(asked.get(id), status));
    return statuses;
  }, [asked, live]);
}
