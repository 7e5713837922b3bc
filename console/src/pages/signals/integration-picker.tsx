/** Pages about the signals of one integration, which is chosen on the page. */
import type { IntegrationFigures } from '@tidemark/client/wire';
import type { ReactNode } from 'react';
import { LinkButton } from '../../parts/button.tsx';
import { SelectField } from '../../parts/field.tsx';
import { EmptyState, Failure, Waiting } from '../../parts/notice.tsx';
import { printCount } from '../../parts/number.ts';
import { Page } from '../../parts/page.tsx';
import { href, usePlaceState } from '../../platform/router/place.ts';
import { useRpc } from '../../platform/rpc/rpc.ts';
import './integration-picker.css';

/** The integration in the address, or else the one with the most signals. */
export function useChosenIntegration() {
  const [search] = usePlaceState();
  const { data, error, refetch } = useRpc('console.integrations.list');
  const list = data?.integrations;
  const named = list?.find(({ id }) => id === search.get('integration'));
  return { list, error, refetch, chosen: named ?? list?.toSorted((a, b) => b.signals - a.signals)[0] };
}

interface IntegrationPageProps {
  title: string;
  lead: string;
  children(chosen: IntegrationFigures, picker: ReactNode): ReactNode;
}

/** A page for the chosen integration; `children` get it and the field that chooses it. */
export function IntegrationPage({ title, lead, children }: IntegrationPageProps) {
  const { list, chosen, error, refetch } = useChosenIntegration();
  return (
    <Page title={title} lead={lead} isWide>
      <Failure of={{ error, refetch }} />
      {!list && !error && <Waiting />}
      {list && !chosen && <NoIntegration />}
      {list && chosen && children(chosen, <IntegrationPicker list={list} chosen={chosen} />)}
    </Page>
  );
}

interface IntegrationPickerProps {
  list: readonly IntegrationFigures[];
  chosen: IntegrationFigures;
}

function IntegrationPicker({ list, chosen }: IntegrationPickerProps) {
  const [, change] = usePlaceState();
  return (
    <div className="integration-picker">
      <SelectField
        label="Integration"
        isLabelHidden
        value={chosen.id}
        onChange={(id) => change({ integration: id, q: null, filter: null, ids: null, age: null })}
        options={list.map(({ id, name, signals }) => ({ value: id, text: name, note: printCount(signals) }))}
      />
    </div>
  );
}

function NoIntegration() {
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
