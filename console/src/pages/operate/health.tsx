/** The health of the service. */
import { Badge } from '../../parts/badge.tsx';
import { href } from '../../platform/router/place.ts';
import { useIsReached } from '../../platform/rpc/reach.ts';
import { useRpc } from '../../platform/rpc/rpc.ts';

/** The checks of the service, requested every ten seconds. */
export function useHealth() {
  return useRpc('console.health', {}, { refetchMs: 10_000 });
}

/** The overall state as a badge. */
export function HealthBadge() {
  const { data, error } = useHealth();
  const isReached = useIsReached();
  const problems = data?.checks.filter(({ problem }) => problem !== null).length ?? 0;
  if (!data && !error) return null;
  const isHealthy = !error && isReached && problems === 0;
  const problemText = problems === 1 ? 'one problem' : `${problems} problems`;
  return (
    <a href={href('/health')}>
      <Badge tone={isHealthy ? 'good' : 'bad'} icon={isHealthy ? 'check' : 'warn'}>
        {error || !isReached ? 'not reachable' : isHealthy ? 'healthy' : problemText}
      </Badge>
    </a>
  );
}
