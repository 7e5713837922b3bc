/** Publishing: signals by their state; the review of chosen ones field by field. */
import type { PublishState, Signal } from '@tidemark/client/wire';
import { type ReactNode, useMemo, useState } from 'react';
import { differingFields } from '../../features/edit/change.ts';
import { dash } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { textColumn } from '../../parts/column-kinds.tsx';
import { DialogButton } from '../../parts/dialog.tsx';
import { signalFields } from '../../parts/filter/fields.ts';
import { type PlaceFilter, usePlaceFilter } from '../../parts/filter/place-filter.ts';
import { ResourceList } from '../../parts/filter/resource-list.tsx';
import type { FilterJson } from '../../parts/filter/terms.ts';
import { useFactsInSight } from '../../parts/in-sight.ts';
import { EmptyState, Notice } from '../../parts/notice.tsx';
import { printCount } from '../../parts/number.ts';
import type { Column } from '../../parts/table-layout.ts';
import { usePagedRows } from '../../parts/table-rows.ts';
import { Segments } from '../../parts/tabs.tsx';
import { href, usePlaceState } from '../../platform/router/place.ts';
import { useIsAdmin } from '../../platform/session/context.tsx';
import { IntegrationPage, useChosenIntegration } from '../signals/integration-picker.tsx';
import { loadSignals, signalSearchPaths } from '../signals/load-signals.ts';
import { Labels, PublishBadge } from '../signals/signal-cells.tsx';
import { signalNameColumn } from '../signals/signal-columns.tsx';
import { PublishManyDialog, type PublishManyDialogProps } from './publish-many-dialog.tsx';
import { ReviewPage } from './review.tsx';

/** The page: a list to choose from, or the review of what was chosen (`ids`). */
export default function PublishPage() {
  const { chosen } = useChosenIntegration();
  const [search, change] = usePlaceState();
  const ids = (search.get('ids') ?? '').split(',').filter((id) => id !== '');
  const review = (next: readonly string[]) => change({ ids: next.join(',') || null }, { replace: false });
  if (chosen && ids.length > 0)
    return <ReviewPage integration={chosen} ids={ids} onBack={() => review([])} />;
  return (
    <IntegrationPage
      title="Publish"
      lead="Publish signals as items, which readers see: choose signals, compare field by field, publish."
    >
      {(integration, picker) => (
        <Candidates key={integration.id} integration={integration.id} picker={picker} review={review} />
      )}
    </IntegrationPage>
  );
}

interface CandidatesProps {
  integration: string;
  picker: ReactNode;
  review(ids: readonly string[]): void;
}

/** Integrations may change their signals while the page is open. */
const refetchMs = 30_000;

/** The number of signals that the service publishes in one call. */
const reviewMax = 1000;

type Which = 'all' | 'unpublished' | 'published';

const whichOptions = [
  { value: 'all', text: 'All' },
  { value: 'unpublished', text: 'Unpublished' },
  { value: 'published', text: 'Published' },
] as const;

const whichFilters: Readonly<Record<Which, object>> = {
  all: {},
  unpublished: { item: { $exists: false } },
  published: { item: { $exists: true } },
};

function Candidates({ integration, picker, review }: CandidatesProps) {
  const isAdmin = useIsAdmin();
  const [search, change] = usePlaceState();
  const which = (search.get('which') ?? 'all') as Which;
  const place = usePlaceFilter(signalSearchPaths, 'name');
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const filter = which === 'all' ? place.whole : { $and: [place.whole, whichFilters[which]] };
  const rows = useCandidates(integration, place, filter);
  const states = useFactsInSight('console.publish.status', rows.ids, refetchMs);
  const columns = useMemo(() => columnsFor(states), [states]);
  const tools = (
    <>
      {picker}
      <Segments<Which>
        label="Which signals"
        value={which}
        onChange={(next) => change({ which: next === 'all' ? null : next })}
        options={whichOptions}
      />
    </>
  );
  return (
    <ResourceList
      place={place}
      fields={signalFields}
      searchLabel="Name or input key"
      noun="signal"
      tools={tools}
      notice={
        !isAdmin && (
          <Notice>Only administrators can publish. The table shows the state of each signal.</Notice>
        )
      }
      label="Signals to publish"
      name="publish"
      rows={rows}
      columns={columns}
      linkOf={({ id }) => href('/publish', { integration, ids: id })}
      {...(isAdmin ? { selection: { ids, onChange: setIds } } : {})}
      empty={<NoCandidates which={which} />}
    >
      {isAdmin && (
        <PublishActions
          ids={ids}
          onClear={() => setIds(new Set())}
          onReview={() => review([...ids])}
          integration={integration}
          filter={filter}
          count={rows.total}
        />
      )}
    </ResourceList>
  );
}

function NoCandidates({ which }: { which: Which }) {
  return (
    <EmptyState
      icon="publish"
      title={which === 'unpublished' ? 'All signals are published' : 'No signals here'}
    >
      <p>Signals appear when the integration saves some or inserts points.</p>
    </EmptyState>
  );
}

function useCandidates(integration: string, { sort, setSort }: PlaceFilter, filter: FilterJson) {
  const load = (skip: number, limit: number, signal: AbortSignal) =>
    loadSignals(integration, { filter, sort }, skip, limit, signal);
  return usePagedRows({
    key: ['admin.selectSignals', integration, filter, sort],
    load,
    sort,
    onSort: setSort,
  });
}

interface PublishActionsProps extends Omit<PublishManyDialogProps, 'onClose'> {
  ids: ReadonlySet<string>;
  onClear(): void;
  onReview(): void;
}

function PublishActions({ ids, onClear, onReview, ...all }: PublishActionsProps) {
  const isTooMany = ids.size > reviewMax;
  return (
    <span className="line">
      {ids.size === 0 ? (
        <DialogButton isDisabled={all.count === 0} text={`Publish all ${printCount(all.count)} …`}>
          {(close) => <PublishManyDialog {...all} onClose={close} />}
        </DialogButton>
      ) : (
        <Button tone="plain" onPress={onClear}>
          Clear selection
        </Button>
      )}
      <Button tone="primary" icon="publish" isDisabled={ids.size === 0 || isTooMany} onPress={onReview}>
        {isTooMany ? `At most ${printCount(reviewMax)} in a review` : `Review ${ids.size || ''}`}
      </Button>
    </span>
  );
}

function columnsFor(states: ReadonlyMap<string, PublishState>): Column<Signal>[] {
  return [
    { ...signalNameColumn, title: 'Signal', width: '2.2fr' },
    textColumn('input', 'Input key', ({ attributes }) => attributes.input, {
      isCode: true,
      width: '2fr',
      sort: () => null,
    }),
    {
      id: 'state',
      isNarrow: true,
      title: 'State',
      width: '150px',
      cell: ({ id }) => <PublishBadge state={states.get(id)} />,
    },
    {
      id: 'differs',
      title: 'Differs in',
      width: '1.6fr',
      cell: ({ id }) => differingFields(states.get(id)) || dash,
    },
    {
      id: 'labels',
      title: 'Labels',
      width: '2fr',
      cell: ({ attributes }) => <Labels labels={attributes.labels} countMax={2} />,
    },
  ];
}
