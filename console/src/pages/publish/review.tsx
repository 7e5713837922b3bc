/** The review before publishing: field by field, with a choice between the values of signal and item. */
import type { IntegrationFigures, Item, PublishState, Signal } from '@tidemark/client/wire';
import { useState } from 'react';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { SwitchField } from '../../parts/field.tsx';
import { EmptyState, ErrorNotice, Failure, Waiting } from '../../parts/notice.tsx';
import { printNumberOf } from '../../parts/number.ts';
import { Card, Page } from '../../parts/page.tsx';
import { notifyLink } from '../../parts/toast.tsx';
import { href, navigate } from '../../platform/router/place.ts';
import { type ResultOf, useRpc, useRpcChange } from '../../platform/rpc/rpc.ts';
import { useIsAdmin } from '../../platform/session/context.tsx';
import { PublishBadge } from '../signals/signal-cells.tsx';
import { type Choice, differences, itemAfter } from './choice.ts';
import { DiffTable } from './diff-table.tsx';
import { renewedByPublishing } from './publish-many-dialog.tsx';
import './diff-table.css';

const shownMax = 30;

interface ReviewPageProps {
  integration: IntegrationFigures;
  ids: readonly string[];
  onBack(): void;
}

/** The review of some signals of an integration. */
export function ReviewPage({ integration, ids, onBack }: ReviewPageProps) {
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
      <Failure of={answer.error ? answer : states} />
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
  const [choices, setChoices] = useState<Readonly<Record<string, Choice>>>({});
  if (signals.length === 0)
    return (
      <EmptyState
        icon="publish"
        title="These signals no longer exist"
        action={<Button onPress={onBack}>Back</Button>}
      />
    );
  const pairs = signals.map((signal) => ({
    signal,
    item: items.get(signal.relationships.item.data?.id ?? '') ?? null,
    choice: choices[signal.id] ?? {},
  }));
  return (
    <>
      <PublishCard integration={integration} pairs={pairs} onBack={onBack} />
      {pairs.slice(0, shownMax).map((pair) => (
        <ReviewCard
          key={pair.signal.id}
          {...pair}
          state={states[pair.signal.id]}
          onChoice={(choice) => setChoices({ ...choices, [pair.signal.id]: choice })}
        />
      ))}
      {signals.length > shownMax && (
        <p className="quiet">
          {printNumberOf(signals.length - shownMax, 'more signal', 'more signals')}: if signal and item
          differ, the value of the signal is used.
        </p>
      )}
    </>
  );
}

interface Pair {
  signal: Signal;
  item: Item | null;
  choice: Choice;
}

interface PublishCardProps {
  integration: string;
  pairs: readonly Pair[];
  onBack(): void;
}

function PublishCard({ integration, pairs, onBack }: PublishCardProps) {
  const isAdmin = useIsAdmin();
  const [isVisible, setVisible] = useState(true);
  const publish = useRpcChange('console.publish.apply', renewedByPublishing, (answer) =>
    done(answer, integration),
  );
  const created = pairs.filter(({ item }) => item === null).length;
  const submit = () => {
    const entries = pairs.map(({ signal, item, choice }) => {
      const after = itemAfter(signal, item, choice, item?.attributes.visible ?? isVisible);
      return [signal.id, after] as const;
    });
    publish.mutate({ integration, itemsBySignal: Object.fromEntries(entries) });
  };
  return (
    <Card>
      <div className="line spread">
        <p>
          <b>{created}</b> new, <b>{pairs.length - created}</b> to update
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
            Publish {printNumberOf(pairs.length, 'signal')}
          </Button>
        </span>
      </div>
      {publish.error && <ErrorNotice error={publish.error} />}
    </Card>
  );
}

/** The number of items in the chart that the message links to. */
const chartedMax = 20;

function done({ itemsBySignal }: ResultOf<'console.publish.apply'>, integration: string): void {
  const saved = Object.values(itemsBySignal);
  const created = saved.filter((summary) => summary.created).length;
  const updated = saved.filter((summary) => summary.updated).length;
  const counts = `Published: ${created} created, ${updated} updated, ${saved.length - created - updated} unchanged`;
  const items = saved.slice(0, chartedMax).map(({ id }) => id);
  notifyLink(
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
}: Pair & { state: PublishState | undefined; onChoice(choice: Choice): void }) {
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
        <p className="diff-same quiet">Signal and item are equal in every field.</p>
      ) : (
        <DiffTable signal={signal} item={item} choice={choice} onChoice={onChoice} />
      )}
    </Card>
  );
}
