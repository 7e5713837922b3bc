/** Whose signals: signals belong to an integration, so lists of them begin with the choice of one. */

import type { IntegrationFigures } from '@tidemark/client/wire';
import { LinkButton } from '../../parts/button.tsx';
import { SelectField } from '../../parts/field.tsx';
import { EmptyState } from '../../parts/notice.tsx';
import { printCount } from '../../parts/number.ts';
import { href, usePlaceState } from '../../platform/router/place.ts';
import { useRpc } from '../../platform/rpc/rpc.ts';

/** The integration that the place names, or else the one with the most signals. */
export function useChosenIntegration(): {
  list: readonly IntegrationFigures[] | undefined;
  chosen: IntegrationFigures | undefined;
  error: Error | null;
  choose(id: string): void;
} {
  const [search, change] = usePlaceState();
  const { data, error } = useRpc('console.integrations.list');
  const list = data?.integrations;
  const named = list?.find(({ id }) => id === search.get('integration'));
  const largest = list?.toSorted((a, b) => b.signals - a.signals)[0];
  const choose = (id: string) => change({ integration: id, q: null, filter: null, ids: null, age: null });
  return { list, chosen: named ?? largest, error, choose };
}

/** The choice. */
export function IntegrationPicker({
  list,
  chosen,
  choose,
}: {
  list: readonly IntegrationFigures[];
  chosen: IntegrationFigures;
  choose(id: string): void;
}) {
  return (
    <div className="integration-picker">
      <SelectField
        label="Integration"
        isLabelHidden
        value={chosen.id}
        onChange={choose}
        options={list.map(({ id, name, signals }) => ({ value: id, text: name, note: printCount(signals) }))}
      />
    </div>
  );
}

/** Shown if there is no integration to choose. */
export function NoIntegrationYet() {
  return (
    <EmptyState
      icon="wave"
      title="No signals yet"
      action={
        <LinkButton to={href('/integrations')} tone="primary" icon="plug">
          To the integrations
        </LinkButton>
      }
    >
      <p>An integration creates signals when it saves them or inserts points under a new key.</p>
    </EmptyState>
  );
}
