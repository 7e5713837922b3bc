/** Further data of the visible signals; requested only if a column shows it. */

import { useMemo } from 'react';
import { useShownColumns } from '../../parts/columns.ts';
import { useFactsInSight } from '../../parts/in-sight.ts';
import { signalColumnNames } from './signal-columns.tsx';
import type { SignalFacts } from './signal-known.ts';
import { useSignalTrends } from './signal-trends.ts';

const statusMs = 5000;
/** What programs may change while the page is open. */
const slowMs = 30_000;
const none: readonly string[] = [];

/** The facts of the signals in sight. */
export function useSignalFacts(ids: readonly string[]): SignalFacts {
  const shown = useShownColumns('signals', signalColumnNames);
  const of = (...columns: string[]) => (columns.some((id) => shown.has(id)) ? ids : none);
  const statuses = useFactsInSight('console.signals.status', of('value', 'age'), statusMs);
  const states = useFactsInSight('console.publish.status', of('published'), slowMs);
  const sizes = useFactsInSight('console.signals.sizes', of('points', 'bytes'), slowMs);
  const trends = useSignalTrends(of('trend'));
  return useMemo(() => ({ statuses, states, sizes, trends }), [statuses, states, sizes, trends]);
}
