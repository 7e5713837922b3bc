/** The names of the integrations, by ID. */
import { useMemo } from 'react';
import { useRpc } from '../../platform/rpc/rpc.ts';

/** Empty until the service has answered. */
export function useIntegrationNames(): ReadonlyMap<string, string> {
  const { data } = useRpc('console.integrations.list');
  return useMemo(() => new Map(data?.integrations.map(({ id, name }) => [id, name])), [data]);
}
