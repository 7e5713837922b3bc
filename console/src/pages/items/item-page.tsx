/** One item: its metadata, which can be edited here, and the signals that feed it. */
import type { Item, Signal } from '@tidemark/client/wire';
import { useState } from 'react';
import { isCalculated } from '../../features/calculated/note.ts';
import { EditDialog } from '../../features/edit/edit-dialog.tsx';
import { useEdit } from '../../features/edit/use-edit.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button, LinkButton } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy.tsx';
import { DialogButton } from '../../parts/dialog.tsx';
import { SwitchField } from '../../parts/field.tsx';
import { Answer, EmptyState, ErrorNotice, Waiting } from '../../parts/notice.tsx';
import { Card, Page } from '../../parts/page.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { notifyError } from '../../parts/toast.tsx';
import { href, type PageProps } from '../../platform/router/place.ts';
import { useRpc } from '../../platform/rpc/rpc.ts';
import { useIsAdmin } from '../../platform/session/context.tsx';
import { AttributeFacts } from '../signals/attribute-facts.tsx';
import { HistoryCard } from '../signals/history-card.tsx';
import { DisconnectDialog } from '../signals/link-dialogs.tsx';
import { AnnotationList, DetailsCard, LatestStats } from '../signals/resource-cards.tsx';
import { signalHref } from '../signals/signal-columns.tsx';
import { CalculationCard } from './calculation-card.tsx';
import { useFeedingSignals } from './feeding.ts';
import { MadeByRule } from './made-by-rule.tsx';
import { UsesCard } from './uses-card.tsx';

const items = { kind: 'items' } as const;

/** The page. */
export default function ItemPage({ params }: PageProps) {
  const id = params.id ?? '';
  const answer = useRpc('service.selectItems', { query: { filter: { id }, limit: 1 } });
  const item = answer.data?.data[0];
  if (item) return <Known item={item} />;
  return (
    <Page title="Item" back={back}>
      <Answer of={answer}>{() => <EmptyState icon="box" title="There is no such item" />}</Answer>
    </Page>
  );
}

const back = { to: href('/items'), text: 'Items' };

function Known({ item }: { item: Item }) {
  const { id, attributes } = item;
  const status = useRpc('console.items.status', { ids: [id] }, { refetchMs: 5000 }).data?.byId[id];
  const feeding = useFeedingSignals(id);
  return (
    <Page title={attributes.name} lead={attributes.description} back={back} actions={<Actions item={item} />}>
      <dl className="stats">
        <LatestStats status={status} attributes={attributes} />
      </dl>
      {feeding.list && !isCalculated(item.meta.annotations) && (
        <HistoryCard ids={feeding.list.map(({ signal }) => signal.id)} attributes={attributes} />
      )}
      <Tabs
        label="About the item"
        entries={[
          {
            id: 'meta',
            text: 'Metadata',
            content: (
              <Card
                title="Metadata"
                actions={
                  <>
                    <MadeByRule annotations={item.meta.annotations} />
                    <VisibleSwitch item={item} />
                  </>
                }
              >
                <AttributeFacts attributes={attributes} />
              </Card>
            ),
          },
          isCalculated(item.meta.annotations)
            ? { id: 'formula', text: 'Formula', content: <CalculationCard id={id} /> }
            : { id: 'signals', text: 'Signals', content: <FeedingCard item={item} feeding={feeding} /> },
          { id: 'uses', text: 'Used in', content: <UsesCard item={id} /> },
          { id: 'notes', text: 'Annotations', content: <AnnotationList target={items} resource={item} /> },
          { id: 'raw', text: 'Details', content: <DetailsCard resource={item} /> },
        ]}
      />
    </Page>
  );
}

function Actions({ item: { id, attributes } }: { item: Item }) {
  const isAdmin = useIsAdmin();
  return (
    <>
      <CopyButton text={id} label="Copy item ID" isWordy />
      {isAdmin && (
        <DialogButton icon="pencil" text="Edit">
          {(close) => <EditDialog target={items} id={id} attributes={attributes} onClose={close} />}
        </DialogButton>
      )}
      <LinkButton to={href('/explorer', { items: id })} icon="chart" tone="primary">
        Open in explorer
      </LinkButton>
    </>
  );
}

/** Shows the new state immediately, and the old one again if the change fails. */
function VisibleSwitch({ item: { id, attributes } }: { item: Item }) {
  const isAdmin = useIsAdmin();
  const save = useEdit(items);
  const isVisible = save.isPending ? save.variables.change.visible === true : attributes.visible;
  const change = (visible: boolean) =>
    save.mutate(
      { ids: [id], change: { visible }, done: visible ? 'Visible now' : 'Hidden now' },
      { onError: notifyError },
    );
  return (
    <SwitchField isSelected={isVisible} onChange={change} isDisabled={!isAdmin || save.isPending}>
      Visible
    </SwitchField>
  );
}

function FeedingCard({ item, feeding }: { item: Item; feeding: ReturnType<typeof useFeedingSignals> }) {
  const isAdmin = useIsAdmin();
  const [leaving, setLeaving] = useState<Signal | null>(null);
  return (
    <Card
      title="Fed by"
      note="Where several signals have a point at the same time, the one created last counts."
    >
      {feeding.error && <ErrorNotice error={feeding.error} />}
      {!feeding.list && !feeding.error && <Waiting />}
      {feeding.list?.length === 0 && (
        <p className="quiet">
          No signal: it was disconnected, or its integration was deleted. The item has no data.
        </p>
      )}
      <ul className="stack-tight">
        {feeding.list?.map(({ signal, integrationName }) => (
          <li key={signal.id} className="line">
            <a className="table-name" href={signalHref(signal)}>
              {signal.attributes.name}
            </a>
            <code className="quiet break">{signal.attributes.input}</code>
            <Badge>{integrationName}</Badge>
            {isAdmin && (
              <Button isTiny onPress={() => setLeaving(signal)}>
                Disconnect
                <span className="hidden-text"> {signal.attributes.name}</span>
              </Button>
            )}
          </li>
        ))}
      </ul>
      {leaving && <DisconnectDialog signal={leaving} item={item} onClose={() => setLeaving(null)} />}
    </Card>
  );
}
