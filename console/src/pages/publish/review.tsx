/** The review before publishing: field by field, with the choice whose value counts. */

import type { IntegrationFigures, Item, PublishState, Signal } from '@tidemark/client/wire';
import { useState } from 'react';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { SwitchField } from '../../parts/field.tsx';
import { EmptyState, ErrorNotice, Waiting } from '../../parts/notice.tsx';
import { printNumberOf } from '../../parts/number.ts';
import { Card, Page } from '../../parts/page.tsx';
import { tell } from '../../parts/toast.tsx';
import { href, navigate } from '../../platform/router/place.ts';
import { type ResultOf, useRpc, useRpcChange } from '../../platform/rpc/rpc.ts';
import { useIsAdmin } from '../../platform/session/context.tsx';
import { PublishBadge } from '../signals/signal-cells.tsx';
import { type Choice, differences, itemAfter } from './choice.ts';
import { DiffTable } from './diff-table.tsx';
import { renewedByPublishing } from './publish-many-dialog.tsx';
import './publish.css';

const shownMax = 30;

/** The review of some signals of an integration. */
export function ReviewPage({
  integration,
  ids,
  onBack,
}: {
  integration: IntegrationFigures;
  ids: readonly string[];
  onBack(): void;
}) {
  const query = { filter: { id: { $in: ids } }, sort: ['name'], limit: 1000 };
  const answer = useRpc('admin.selectSignals', {
    integration: integration.id,
    query,
    include: ['item'],
  });
  const states = useRpc('console.publish.status', { ids });
  const back = { to: href('/publish', { integration: integration.id }), text: 'Publish' };
  return (
    <Page
      title="Review and publish"
      lead={`${printNumberOf(ids.length, 'signal')} of ${integration.name}`}
      back={back}
    >
      {answer.error && <ErrorNotice error={answer.error} retry={() => void answer.refetch()} />}
      {answer.isPending && <Waiting />}
      {answer.data && states.data && (
        <Review
          integration={integration.id}
          signals={answer.data.data}
          items={new Map((answer.data.included ?? []).map((item) => [item.id, item]))}
          states={states.data.byId}
          onBack={onBack}
        />
      )}
    </Page>
  );
}

interface ReviewProps {
  integration: string;
  signals: readonly Signal[];
  items: ReadonlyMap<string, Item>;
  states: Readonly<Record<string, PublishState>>;
  onBack(): void;
}

function Review({ integration, signals, items, states, onBack }: ReviewProps) {
  const isAdmin = useIsAdmin();
  const [choices, setChoices] = useState<Readonly<Record<string, Choice>>>({});
  const [isVisible, setVisible] = useState(true);
  const publish = usePublish();
  if (signals.length === 0)
    return (
      <EmptyState
        icon="publish"
        title="These signals are not there any more"
        action={<Button onPress={onBack}>Back</Button>}
      />
    );
  const itemOf = (signal: Signal) => items.get(signal.relationships.item.data?.id ?? '') ?? null;
  const created = signals.filter((signal) => itemOf(signal) === null).length;
  const submit = () => {
    const entries = signals.map((signal) => {
      const item = itemOf(signal);
      return [
        signal.id,
        itemAfter(signal, item, choices[signal.id] ?? {}, item?.attributes.visible ?? isVisible),
      ] as const;
    });
    publish.mutate(
      { integration, itemsBySignal: Object.fromEntries(entries) },
      { onSuccess: (answer) => done(answer, integration) },
    );
  };
  return (
    <>
      <Card>
        <div className="line spread">
          <p>
            <b>{created}</b> new, <b>{signals.length - created}</b> to update
          </p>
          {created > 0 && (
            <SwitchField isSelected={isVisible} onChange={setVisible}>
              New items are visible
            </SwitchField>
          )}
          <span className="line">
            <Button onPress={onBack}>Back</Button>
            <Button
              tone="primary"
              icon="publish"
              isPending={publish.isPending}
              isDisabled={!isAdmin}
              onPress={submit}
            >
              Publish {printNumberOf(signals.length, 'signal')}
            </Button>
          </span>
        </div>
        {publish.error && <ErrorNotice error={publish.error} />}
      </Card>
      {signals.slice(0, shownMax).map((signal) => (
        <ReviewCard
          key={signal.id}
          signal={signal}
          item={itemOf(signal)}
          state={states[signal.id]}
          choice={choices[signal.id] ?? {}}
          onChoice={(choice) => setChoices({ ...choices, [signal.id]: choice })}
        />
      ))}
      {signals.length > shownMax && (
        <p className="quiet">
          {printNumberOf(signals.length - shownMax, 'more signal', 'more signals')} in the same way: where
          signal and item differ, the signal’s value counts.
        </p>
      )}
    </>
  );
}

function usePublish() {
  return useRpcChange('console.publish.apply', renewedByPublishing);
}

/** Items that one chart can show. */
const chartedMax = 20;

function done({ itemsBySignal }: ResultOf<'console.publish.apply'>, integration: string): void {
  const saved = Object.values(itemsBySignal);
  const created = saved.filter((summary) => summary.created).length;
  const updated = saved.filter((summary) => summary.updated).length;
  const counts = `Published: ${created} created, ${updated} updated, ${saved.length - created - updated} as they were`;
  const items = saved.slice(0, chartedMax).map(({ id }) => id);
  tell(
    <>
      {counts}. <a href={href('/explorer', { items: items.join('.') })}>Open the chart</a>
    </>,
  );
  const [only] = saved;
  navigate(saved.length === 1 && only ? href(`/items/${only.id}`) : href('/publish', { integration }));
}

function ReviewCard({
  signal,
  item,
  state,
  choice,
  onChoice,
}: {
  signal: Signal;
  item: Item | null;
  state: PublishState | undefined;
  choice: Choice;
  onChoice(choice: Choice): void;
}) {
  const count = item ? differences(signal, item).length : 0;
  return (
    <Card
      title={signal.attributes.name}
      note={<code>{signal.attributes.input}</code>}
      actions={
        <>
          {state?.isItemEdited && state.state === 'signal-changed' && <Badge tone="plum">item edited</Badge>}
          <PublishBadge state={state} />
        </>
      }
      isFlush
    >
      {item && count === 0 ? (
        <p className="diff-same quiet">Signal and item are the same in every field.</p>
      ) : (
        <DiffTable signal={signal} item={item} choice={choice} onChoice={onChoice} />
      )}
    </Card>
  );
}
