/** The signals of an integration: found, filtered, looked at, chosen for publishing. However many there are. */
import { useMutation } from '@tanstack/react-query';
import type { IntegrationFigures, Signal } from '@tidemark/client/wire';
import { useCallback, useMemo, useState } from 'react';
import { BulkEditDialog } from '../../features/edit/bulk-edit-dialog.tsx';
import type { Scope } from '../../features/edit/target.ts';
import { Button } from '../../parts/button.tsx';
import { download } from '../../parts/code-block.tsx';
import { SelectField } from '../../parts/field.tsx';
import { signalFields } from '../../parts/filter/fields.ts';
import { FilterBar } from '../../parts/filter/filter-bar.tsx';
import { type PlaceFilter, usePlaceFilter } from '../../parts/filter/place-filter.ts';
import type { FilterJson } from '../../parts/filter/terms.ts';
import { EmptyState, ErrorNotice, Waiting } from '../../parts/notice.tsx';
import { printCount, printNumberOf } from '../../parts/number.ts';
import { Card, Page } from '../../parts/page.tsx';
import { DataTable } from '../../parts/table.tsx';
import { usePagedRows, useRowsInSight } from '../../parts/table-rows.ts';
import { tellError } from '../../parts/toast.tsx';
import { href, navigate, usePlaceState } from '../../platform/router/place.ts';
import { call } from '../../platform/rpc/rpc.ts';
import { fieldError } from '../../platform/rpc/rpc-error.ts';
import { useIsAdmin } from '../../platform/session/context.tsx';
import { type AgeChoice, ageChoices, ageParams, isByAge, loadByAge, readAge } from './age-filter.ts';
import { exportResources } from './export-signals.ts';
import { IntegrationPicker, NoIntegrationYet, useChosenIntegration } from './integration-picker.tsx';
import { signalColumns, signalHref } from './signal-columns.tsx';
import { useSignalFacts } from './signal-facts.ts';
import './signals.css';

const searchPaths = ['name', 'input'];

/** The list. */
export default function SignalsPage() {
  const { list, chosen, error, choose } = useChosenIntegration();
  return (
    <Page
      title="Signals"
      lead="What integrations write. Readers see them once they are published as items."
      isWide
    >
      {error && <ErrorNotice error={error} />}
      {!list && !error && <Waiting />}
      {list && !chosen && <NoIntegrationYet />}
      {list && chosen && <SignalList key={chosen.id} list={list} chosen={chosen} choose={choose} />}
    </Page>
  );
}

interface ListProps {
  list: readonly IntegrationFigures[];
  chosen: IntegrationFigures;
  choose(id: string): void;
}

function SignalList({ list, chosen, choose }: ListProps) {
  const isAdmin = useIsAdmin();
  const place = usePlaceFilter(searchPaths, 'name');
  const [search, change] = usePlaceState();
  const age = readAge(search.get('age'));
  const { rows, facts } = useSignals(chosen.id, place, age);
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const [editing, setEditing] = useState<Scope | null>(null);
  const columns = useMemo(() => signalColumns(facts), [facts]);
  const filterError = fieldError(rows.error, 'query.filter');
  return (
    <>
      <FilterBar
        fields={signalFields}
        text={place.text}
        onText={place.setText}
        filter={place.filter}
        onFilter={place.setFilter}
        error={filterError}
        searchLabel="Name or input key"
      >
        <IntegrationPicker list={list} chosen={chosen} choose={choose} />
        <SelectField<AgeChoice>
          label="Age of the newest point"
          isLabelHidden
          value={age}
          onChange={(next) => change({ age: next === 'any' ? null : next })}
          options={ageChoices}
        />
      </FilterBar>
      {rows.error && !filterError && <ErrorNotice error={rows.error} retry={rows.refetch} />}
      <Card isFlush>
        <DataTable
          label="Signals"
          name="signals"
          rows={rows}
          columns={columns}
          idOf={({ id }) => id}
          linkOf={signalHref}
          {...(isAdmin ? { selection: { ids, onChange: setIds } } : {})}
          empty={<NoMatch isFiltered={age !== 'any' || Object.keys(place.whole).length > 0} />}
        />
        <div className="table-foot">
          <span className="quiet" role="status">
            {rows.isLoading && rows.total === 0 ? 'Loading …' : printNumberOf(rows.total, 'signal')}
            {ids.size > 0 && `, ${printCount(ids.size)} selected`}
          </span>
          {ids.size === 0 && rows.total > 0 && (
            <span className="line">
              <ExportButton integration={chosen} place={place} age={age} />
              {isAdmin && age === 'any' && (
                <Button isTiny icon="pencil" onPress={() => setEditing({ filter: place.whole })}>
                  Edit all {printCount(rows.total)} …
                </Button>
              )}
            </span>
          )}
          {ids.size > 0 && (
            <SelectionActions
              integration={chosen.id}
              ids={ids}
              clear={() => setIds(new Set())}
              edit={() => setEditing({ ids: [...ids] })}
            />
          )}
        </div>
      </Card>
      {editing && (
        <BulkEditDialog
          target={{ kind: 'signals', integration: chosen.id }}
          scope={editing}
          count={'ids' in editing ? editing.ids.length : rows.total}
          onClose={() => setEditing(null)}
        />
      )}
    </>
  );
}

function useSignals(integration: string, { whole, sort, setSort }: PlaceFilter, age: AgeChoice) {
  const load = useCallback(
    (skip: number, limit: number, signal: AbortSignal) =>
      loadSignals(integration, { filter: whole, sort, age }, skip, limit, signal),
    [integration, whole, sort, age],
  );
  const paged = usePagedRows({
    key: ['admin.selectSignals', integration, whole, sort, age],
    load,
    sort,
    onSort: setSort,
  });
  const { rows, ids } = useRowsInSight(paged);
  return { rows, facts: useSignalFacts(ids) };
}

/** A page of an integration's signals. */
export async function loadSignals(
  integration: string,
  { filter, sort, age = 'any' }: { filter: FilterJson; sort: string; age?: AgeChoice },
  skip: number,
  limit: number,
  signal?: AbortSignal,
): Promise<{ rows: Signal[]; total: number }> {
  if (isByAge(age, sort))
    return loadByAge({ ...ageParams(integration, { filter, sort, age }), skip, limit }, signal);
  const query = { filter, sort: sort === '' ? [] : [sort], skip, limit, total: true };
  const answer = await call('admin.selectSignals', { integration, query }, signal ? { signal } : {});
  return { rows: answer.data, total: answer.meta.total };
}

/** All that match, however many: the file is made of pages of the service. */
function ExportButton({
  integration,
  place,
  age,
}: {
  integration: IntegrationFigures;
  place: PlaceFilter;
  age: AgeChoice;
}) {
  const { whole, sort } = place;
  const save = useMutation({
    mutationFn: () =>
      exportResources((skip, limit) =>
        loadSignals(integration.id, { filter: whole, sort, age }, skip, limit),
      ),
    onSuccess: (csv) => download(`signals-${integration.id}.csv`, csv, 'text/csv'),
    onError: tellError,
  });
  return (
    <Button isTiny icon="download" isPending={save.isPending} onPress={() => save.mutate()}>
      CSV of all
    </Button>
  );
}

function SelectionActions({
  integration,
  ids,
  clear,
  edit,
}: {
  integration: string;
  ids: ReadonlySet<string>;
  clear(): void;
  edit(): void;
}) {
  const publish = () => navigate(href('/publish', { integration, ids: [...ids].join(',') }));
  return (
    <span className="line">
      <Button isTiny tone="plain" onPress={clear}>
        Clear selection
      </Button>
      <Button isTiny icon="pencil" onPress={edit}>
        Edit {printCount(ids.size)} …
      </Button>
      <Button isTiny tone="primary" icon="publish" onPress={publish}>
        Review and publish
      </Button>
    </span>
  );
}

function NoMatch({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered)
    return (
      <EmptyState icon="filter" title="No signal matches">
        <p>Remove a condition, or look at the filter as JSON.</p>
      </EmptyState>
    );
  return (
    <EmptyState icon="wave" title="This integration has no signals yet">
      <p>
        They appear when it calls <code>integration.saveSignals</code>, or inserts points under a new key. Its
        page has ready snippets.
      </p>
    </EmptyState>
  );
}
