/** Marks of integrations: disabled, and how many signals are silent. */
import type { IntegrationSilence } from '@tidemark/client/wire';
import { Badge, dash } from '../../parts/badge.tsx';
import { printCount } from '../../parts/number.ts';
import { href } from '../../platform/router/place.ts';
import { useRpc } from '../../platform/rpc/rpc.ts';
import { agePlace } from '../signals/age-filter.ts';

interface SilentCountProps {
  integration: string;
  silence: IntegrationSilence | undefined;
}

/** The silent signals of an integration, as a link to them. */
export function SilentCount({ integration, silence }: SilentCountProps) {
  if (silence === undefined) return dash;
  if (silence.silent === 0) return <span className="quiet">0</span>;
  return (
    <a href={href('/signals', agePlace(integration, 'silent'))}>
      <Badge tone="warn">{printCount(silence.silent)}</Badge>
    </a>
  );
}

/** For each integration the number of silent signals and its newest point; requested twice a minute. */
export function useSilences(): readonly IntegrationSilence[] | undefined {
  return useRpc('console.signals.silent', {}, { refetchMs: 30_000 }).data?.integrations;
}

/** The mark of a disabled integration. */
export function DisabledBadge() {
  return (
    <Badge tone="warn" icon="pause">
      disabled
    </Badge>
  );
}
