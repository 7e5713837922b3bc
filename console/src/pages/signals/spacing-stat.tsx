/** The declared sample interval of a signal, and whether its points arrive accordingly. */
import type { SignalStatus } from '@tidemark/client/wire';
import { Badge } from '../../parts/badge.tsx';
import { Stat } from '../../parts/page.tsx';
import type { Attributes } from '../../platform/rpc/shapes.ts';
import { printDuration } from '../../platform/time/age.ts';
import { parseMoment, useNow } from '../../platform/time/moment.tsx';
import { durationMs, printPeriod } from '../../platform/time/span.ts';

interface SpacingStatProps {
  attributes: Attributes;
  status: SignalStatus | null | undefined;
}

/** The declared interval, and whether the newest point is younger than the gap. */
export function SpacingStat({ attributes: { sampleInterval, gapDetection }, status }: SpacingStatProps) {
  const now = useNow();
  // If no gap is declared, it is three sample intervals.
  const intervalMs = durationMs(sampleInterval);
  const gapMs = durationMs(gapDetection) ?? (intervalMs && 3 * intervalMs);
  const lastMs = parseMoment(status?.lastTime);
  const state =
    gapMs === null || lastMs === null ? (
      `gap detection ${printDeclared(gapDetection)}`
    ) : now - lastMs > gapMs ? (
      <Badge tone="warn">silent for {printDuration(now - lastMs)}</Badge>
    ) : (
      <Badge tone="good">on time</Badge>
    );
  return (
    <Stat title="Sample interval" note={state}>
      {printDeclared(sampleInterval)}
    </Stat>
  );
}

function printDeclared(period: string | null): string {
  return period === null ? 'not declared' : printPeriod(period);
}
