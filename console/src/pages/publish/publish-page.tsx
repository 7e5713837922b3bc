/** Publishing: which signals, in which state; then field by field; then done. */

import type { IntegrationFigures, PublishState, Signal } from '@tidemark/client/wire';
import { useCallback, useMemo, useState } from 'react';
import { attributeTitles } from '../../features/edit/change.ts';
import { Button } from '../../parts/button.tsx';
import { signalFields } from '../../parts/filter/fields.ts';
import { FilterBar } from '../../parts/filter/filter-bar.tsx';
import { usePlaceFilter } from '../../parts/filter/place-filter.ts';
import { useFactsInSight } from '../../parts/in-sight.ts';
import { EmptyState, ErrorNotice, Notice, Waiting } from '../../parts/notice.tsx';
import { printCount, printNumberOf } from '../../parts/number.ts';
import { Card, Page } from '../../parts/page.tsx';
import { DataTable } from '../../parts/table.tsx';
import type { Column } from '../../parts/table-layout.ts';
import { usePagedRows, useRowsInSight } from '../../parts/table-rows.ts';
import { Segments } from '../../parts/tabs.tsx';
import { href, usePlaceState } from '../../platform/router/place.ts';
import { fieldError } from '../../platform/rpc/rpc-error.ts';
import { useIsAdmin } from '../../platform/session/context.tsx';
import { IntegrationPicker, NoIntegrationYet, useChosenIntegration } from '../signals/integration-picker.tsx';
import { Labels, PublishBadge } from '../signals/signal-cells.tsx';
import { signalHref } from '../signals/signal-columns.tsx';
import { loadSignals } from '../signals/signals-page.tsx';
import { PublishManyDialog } from './publish-many-dialog.tsx';
import { ReviewPage } from './review.tsx';
import '../signals/signals.css';

/** The page: a list to choose from, or the review of what was chosen (`ids`). */
export default function PublishPage() {
  const { list, chosen, error, choose } = useChosenIntegration();
  const [search, change] = usePlaceState();
  const ids = (search.get('ids') ?? '').split(',').filter((id) => id !== '');
  const review = (next: readonly string[]) => change({ ids: next.join(',') }, { replace: false });
  if (chosen && ids.length > 0)
    return (
      <ReviewPage integration={chosen} ids={ids} onBack={() => change({ ids: null }, { replace: false })} />
    );
  return (
    <Page
      title="Publish"
      lead="Signals become items, which readers see. Choose, compare field by field, publish."
      isWide
    >
      {error && <ErrorNotice error={error} />}
      {!list && !error && <Waiting />}
      {list && !chosen && <NoIntegrationYet />}
      {list && chosen && (
        <Candidates key={chosen.id} list={list} chosen={chosen} choose={choose} review={review} />
      )}
    </Page>
  );
}

interface CandidatesProps {
  list: readonly IntegrationFigures[];
  chosen: IntegrationFigures;
  choose(id: string): void;
  review(ids: readonly string[]): void;
}

/** Integrations may change what they have saved while the page is open. */
const refetchMs = 30_000;

/** As many as the service takes in one call. */
const reviewMax = 1000;

type Which = 'all' | 'unpublished' | 'published';

const searchPaths = ['name', 'input'];

const narrowing: Readonly<Record<Which, object>> = {
  all: {},
  unpublished: { item: { $exists: false } },
  published: { item: { $exists: true } },
};

function Candidates({ list, chosen, choose, review }: CandidatesProps) {
  const isAdmin = useIsAdmin();
  const [search, change] = usePlaceState();
  const which = (search.get('which') ?? 'all') as Which;
  const place = usePlaceFilter(searchPaths, 'name');
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const [isPublishing, setPublishing] = useState(false);
  const { rows, states, filter } = useCandidates(chosen.id, place, which);
  const columns = useMemo(() => columnsFor(states), [states]);
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
        <Segments<Which>
          label="Which signals"
          value={which}
          onChange={(next) => change({ which: next === 'all' ? null : next })}
          options={[
            { value: 'all', text: 'All' },
            { value: 'unpublished', text: 'Unpublished' },
            { value: 'published', text: 'Published' },
          ]}
        />
      </FilterBar>
      {!isAdmin && <Notice>Publishing is for administrators; here you see the state of each signal.</Notice>}
      {rows.error && !filterError && <ErrorNotice error={rows.error} retry={rows.refetch} />}
      <Card isFlush>
        <DataTable
          label="Signals to publish"
          name="publish"
          rows={rows}
          columns={columns}
          idOf={({ id }) => id}
          linkOf={({ id }) => href('/publish', { integration: chosen.id, ids: id })}
          {...(isAdmin ? { selection: { ids, onChange: setIds } } : {})}
          empty={
            <EmptyState
              icon="publish"
              title={which === 'unpublished' ? 'Everything is published' : 'No signals here'}
            >
              <p>Signals appear once the integration has saved some, or has inserted points.</p>
            </EmptyState>
          }
        />
        <div className="table-foot">
          <span className="quiet" role="status">
            {printNumberOf(rows.total, 'signal')}
            {ids.size > 0 && `, ${printCount(ids.size)} selected`}
          </span>
          {isAdmin && (
            <span className="line">
              {ids.size === 0 ? (
                <Button isDisabled={rows.total === 0} onPress={() => setPublishing(true)}>
                  Publish all {printCount(rows.total)} …
                </Button>
              ) : (
                <Button tone="plain" onPress={() => setIds(new Set())}>
                  Clear selection
                </Button>
              )}
              <Button
                tone="primary"
                icon="publish"
                isDisabled={ids.size === 0 || ids.size > reviewMax}
                onPress={() => review([...ids])}
              >
                {ids.size > reviewMax
                  ? `A review takes ${printCount(reviewMax)}`
                  : `Review ${ids.size > 0 ? printCount(ids.size) : ''}`}
              </Button>
            </span>
          )}
        </div>
      </Card>
      {isPublishing && (
        <PublishManyDialog
          integration={chosen.id}
          filter={filter}
          count={rows.total}
          onClose={() => setPublishing(false)}
        />
      )}
    </>
  );
}

function useCandidates(integration: string, place: ReturnType<typeof usePlaceFilter>, which: Which) {
  const { whole, sort, setSort } = place;
  const filter = useMemo(
    () => (which === 'all' ? whole : { $and: [whole, narrowing[which]] }),
    [whole, which],
  );
  const load = useCallback(
    (skip: number, limit: number, signal: AbortSignal) =>
      loadSignals(integration, { filter, sort }, skip, limit, signal),
    [integration, filter, sort],
  );
  const paged = usePagedRows({
    key: ['admin.selectSignals', integration, filter, sort],
    load,
    sort,
    onSort: setSort,
  });
  const { rows, ids } = useRowsInSight(paged);
  const states = useFactsInSight('console.publish.status', ids, refetchMs);
  return { rows, states, filter };
}

function columnsFor(states: ReadonlyMap<string, PublishState>): Column<Signal>[] {
  return [
    {
      id: 'name',
      title: 'Signal',
      width: '2.2fr',
      sort: () => null,
      cell: (signal) => (
        <a className="table-name" href={signalHref(signal)}>
          {signal.attributes.name}
        </a>
      ),
    },
    {
      id: 'input',
      title: 'Input key',
      width: '2fr',
      sort: () => null,
      cell: ({ attributes }) => <code title={attributes.input}>{attributes.input}</code>,
    },
    {
      id: 'state',
      title: 'State',
      width: '150px',
      cell: ({ id }) => <PublishBadge state={states.get(id)} />,
    },
    {
      id: 'differs',
      title: 'Differs in',
      width: '1.6fr',
      cell: ({ id }) => <Differs state={states.get(id)} />,
    },
    {
      id: 'labels',
      title: 'Labels',
      width: '2fr',
      cell: ({ attributes }) => <Labels labels={attributes.labels} countMax={2} />,
    },
  ];
}

function Differs({ state }: { state: PublishState | undefined }) {
  if (!state || state.differs.length === 0) return <span className="quiet">–</span>;
  const titles: Readonly<Record<string, string>> = attributeTitles;
  return <span>{state.differs.map((name) => titles[name] ?? name).join(', ')}</span>;
}
