/** The signals of an integration: find, filter, edit, and choose for publishing. */
import type { IntegrationFigures } from '@tidemark/client/wire';
import { useMemo, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { SelectField } from '../../parts/field.tsx';
import { signalFields } from '../../parts/filter/fields.ts';
import { type PlaceFilter, usePlaceFilter } from '../../parts/filter/place-filter.ts';
import { ResourceList } from '../../parts/filter/resource-list.tsx';
import { EmptyState } from '../../parts/notice.tsx';
import { usePagedRows } from '../../parts/table-rows.ts';
import { href, navigate, usePlaceState } from '../../platform/router/place.ts';
import { useIsAdmin } from '../../platform/session/context.tsx';
import { type AgeChoice, ageChoices, readAge } from './age-filter.ts';
import { IntegrationPage } from './integration-picker.tsx';
import { ListActions } from './list-actions.tsx';
import { loadSignals, signalSearchPaths } from './load-signals.ts';
import { signalColumns, signalHref, useSignalFacts } from './signal-columns.tsx';

/** The list. */
export default function SignalsPage() {
  return (
    <IntegrationPage
      title="Signals"
      lead="What integrations write. Readers see them once they are published as items."
    >
      {(chosen, picker) => <SignalList key={chosen.id} chosen={chosen} picker={picker} />}
    </IntegrationPage>
  );
}

interface ListProps {
  chosen: IntegrationFigures;
  picker: React.ReactNode;
}

function SignalList({ chosen: { id: integration }, picker }: ListProps) {
  const isAdmin = useIsAdmin();
  const place = usePlaceFilter(signalSearchPaths, 'name');
  const [search] = usePlaceState();
  const age = readAge(search.get('age'));
  const { rows, load } = useSignals(integration, place, age);
  const facts = useSignalFacts(rows.ids);
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const columns = useMemo(() => signalColumns(facts), [facts]);
  const publish = () => navigate(href('/publish', { integration, ids: [...ids].join(',') }));
  return (
    <ResourceList
      place={place}
      fields={signalFields}
      searchLabel="Name or input key"
      noun="signal"
      tools={
        <>
          {picker}
          <AgeField age={age} />
        </>
      }
      label="Signals"
      name="signals"
      rows={rows}
      columns={columns}
      linkOf={signalHref}
      {...(isAdmin ? { selection: { ids, onChange: setIds } } : {})}
      empty={<NoMatch isFiltered={age !== 'any' || Object.keys(place.whole).length > 0} />}
    >
      <ListActions
        target={{ kind: 'signals', integration }}
        total={rows.total}
        ids={ids}
        onClear={() => setIds(new Set())}
        filter={age === 'any' ? place.whole : null}
        load={load}
        file={`signals-${integration}.csv`}
      >
        <Button isTiny tone="primary" icon="publish" onPress={publish}>
          Review and publish
        </Button>
      </ListActions>
    </ResourceList>
  );
}

function AgeField({ age }: { age: AgeChoice }) {
  const [, change] = usePlaceState();
  return (
    <SelectField<AgeChoice>
      label="Age of the newest point"
      isLabelHidden
      value={age}
      onChange={(next) => change({ age: next === 'any' ? null : next })}
      options={ageChoices}
    />
  );
}

function useSignals(integration: string, { whole, sort, setSort }: PlaceFilter, age: AgeChoice) {
  const load = (skip: number, limit: number, signal?: AbortSignal) =>
    loadSignals(integration, { filter: whole, sort, age }, skip, limit, signal);
  const key = ['admin.selectSignals', integration, whole, sort, age];
  return { load, rows: usePagedRows({ key, load, sort, onSort: setSort }) };
}

function NoMatch({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered)
    return (
      <EmptyState icon="filter" title="No signal matches">
        <p>Remove a condition, or check the filter as JSON.</p>
      </EmptyState>
    );
  return (
    <EmptyState icon="wave" title="This integration has no signals yet">
      <p>
        They appear when it calls <code>integration.saveSignals</code>, or inserts points under a new key. The
        page of the integration has snippets for both.
      </p>
    </EmptyState>
  );
}
