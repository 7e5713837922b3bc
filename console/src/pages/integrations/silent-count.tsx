/** How many signals of an integration are silent. */
import type { IntegrationSilence } from '@tidemark/client/wire';
import { Badge } from '../../parts/badge.tsx';
import { printCount } from '../../parts/number.ts';
import { href } from '../../platform/router/place.ts';
import { agePlace } from '../signals/age-filter.ts';

/** The silent signals of an integration, as a link to them. */
export function SilentCount({
  integration,
  silence,
}: {
  integration: string;
  silence: IntegrationSilence | undefined;
}) {
  if (silence === undefined || silence.silent === 0)
    return <span className="quiet">{silence ? '0' : '–'}</span>;
  return (
    <a href={href('/signals', agePlace(integration, 'silent'))}>
      <Badge tone="warn">{printCount(silence.silent)}</Badge>
    </a>
  );
}
