/** Further data of the visible signals; requested only if a column shows it. */
import { useMemo } from 'react';
import { useShownColumns } from '../../parts/columns.ts';
import { useFactsInSight } from '../../parts/in-sight.ts';
import { type SignalFacts, signalColumnDefaults } from './signal-columns.tsx';
import { useSignalTrends } from './trends.ts';

const statusMs = 5000;
/** For data that programs may change while the page is open. */
const slowMs = 30_000;

/** The facts of the visible signals. */
export function useSignalFacts(ids: readonly string[]): SignalFacts {
  const idsFor = useShownColumns('signals', signalColumnDefaults, ids);
  const statuses = useFactsInSight('console.signals.status', idsFor('value', 'age'), statusMs);
  const states = useFactsInSight('console.publish.status', idsFor('published'), slowMs);
  const sizes = useFactsInSight('console.signals.sizes', idsFor('points', 'bytes'), slowMs);
  const trends = useSignalTrends(idsFor('trend'));
  return useMemo(() => ({ statuses, states, sizes, trends }), [statuses, states, sizes, trends]);
}
