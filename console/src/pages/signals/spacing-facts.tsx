/** What the signal declares about its spacing, and whether its newest point keeps to it. */

import { Badge } from '../../parts/badge.tsx';
import type { Attributes, SignalStatus } from '../../session/views.ts';
import { printDuration } from '../../time/age.ts';
import { parseMoment, useNow } from '../../time/moment.tsx';

/** Declared interval and gap, with a verdict. */
export function SpacingFacts({
  attributes,
  status,
}: {
  attributes: Attributes;
  status: SignalStatus | undefined;
}) {
  const now = useNow();
  const gapMs = durationMs(attributes.gapDetection) ?? tripled(durationMs(attributes.sampleInterval));
  const lastMs = parseMoment(status?.lastTime ?? null);
  return (
    <div className="stat">
      <dt>Sample interval</dt>
      <dd>{attributes.sampleInterval ?? 'not declared'}</dd>
      <dd className="note">
        {gapMs !== null && lastMs !== null ? (
          now - lastMs > gapMs ? (
            <Badge tone="warn">silent for {printDuration(now - lastMs)}</Badge>
          ) : (
            <Badge tone="good">on time</Badge>
          )
        ) : (
          `gap detection ${attributes.gapDetection ?? 'not declared'}`
        )}
      </dd>
    </div>
  );
}

/** Milliseconds of a fixed duration in its canonical form, such as `PT15M` or `PT0.5S`; null for none. */
export function durationMs(text: string | null): number | null {
  const found = /^PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?$/.exec(text ?? '');
  if (!found) return null;
  const [, hours = '0', minutes = '0', seconds = '0'] = found;
  return Number(hours) * 3_600_000 + Number(minutes) * 60_000 + Number(seconds) * 1000;
}

/** Without a declared gap, three missed samples are one. */
function tripled(ms: number | null): number | null {
  return ms === null ? null : ms * 3;
}
