/** What the signal declares about its spacing, and whether its newest point keeps to it. */

import type { SignalStatus } from '@tidemark/client/wire';
import { Badge } from '../../parts/badge.tsx';
import type { Attributes } from '../../platform/rpc/shapes.ts';
import { printDuration } from '../../platform/time/age.ts';
import { parseMoment, useNow } from '../../platform/time/moment.tsx';
import { durationMs, printPeriod } from '../../platform/time/span.ts';

/** Declared interval and gap, with a verdict. */
export function SpacingFacts({
  attributes,
  status,
}: {
  attributes: Attributes;
  status: SignalStatus | null | undefined;
}) {
  const now = useNow();
  const gapMs = durationMs(attributes.gapDetection) ?? tripled(durationMs(attributes.sampleInterval));
  const lastMs = parseMoment(status?.lastTime ?? null);
  return (
    <div className="stat">
      <dt>Sample interval</dt>
      <dd>{attributes.sampleInterval ? printPeriod(attributes.sampleInterval) : 'not declared'}</dd>
      <dd className="note">
        {gapMs !== null && lastMs !== null ? (
          now - lastMs > gapMs ? (
            <Badge tone="warn">silent for {printDuration(now - lastMs)}</Badge>
          ) : (
            <Badge tone="good">on time</Badge>
          )
        ) : (
          `gap detection ${attributes.gapDetection ? printPeriod(attributes.gapDetection) : 'not declared'}`
        )}
      </dd>
    </div>
  );
}

/** Without a declared gap, three missed samples are one. */
function tripled(ms: number | null): number | null {
  return ms === null ? null : ms * 3;
}
