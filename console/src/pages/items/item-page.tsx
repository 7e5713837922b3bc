/** One item: its metadata, which can be edited here, and the signals that feed it. */

import type { Item, Signal } from '@tidemark/client/wire';
import { useState } from 'react';
import { EditDialog } from '../../features/edit/edit-dialog.tsx';
import { useEdit } from '../../features/edit/use-edit.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button, LinkButton } from '../../parts/button.tsx';
import { CodeBlock } from '../../parts/code-block.tsx';
import { CopyButton, CopyId } from '../../parts/copy.tsx';
import { SwitchField } from '../../parts/field.tsx';
import { EmptyState, ErrorNotice, Waiting } from '../../parts/notice.tsx';
import { Card, Facts, Page } from '../../parts/page.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { tellError } from '../../parts/toast.tsx';
import type { PageProps } from '../../platform/router/page-props.ts';
import { href } from '../../platform/router/place.ts';
import { useRpc } from '../../platform/rpc/rpc.ts';
import { useIsAdmin } from '../../platform/session/context.tsx';
import { Age, Moment } from '../../platform/time/moment.tsx';
import { AttributeFacts } from '../signals/attribute-facts.tsx';
import { HistoryCard } from '../signals/history-card.tsx';
import { DisconnectDialog } from '../signals/link-dialogs.tsx';
import { Value } from '../signals/signal-cells.tsx';
import { signalHref } from '../signals/signal-columns.tsx';
import { AnnotationList } from '../signals/signal-parts.tsx';
import { useFeedingSignals } from './feeding.ts';
import { UsesCard } from './uses-card.tsx';
import '../signals/signals.css';

const items = { kind: 'items' } as const;

/** The page. */
export default function ItemPage({ params }: PageProps) {
  const id = params.id ?? '';
  const answer = useRpc('service.selectItems', { query: { filter: { id }, limit: 1 } });
  const item = answer.data?.data[0];
  if (item) return <Known item={item} />;
  return (
    <Page title="Item" back={{ to: href('/items'), text: 'Items' }}>
      {answer.error && <ErrorNotice error={answer.error} retry={() => void answer.refetch()} />}
      {answer.isPending && <Waiting />}
      {answer.data && <EmptyState icon="box" title="There is no such item" />}
    </Page>
  );
}

function Known({ item }: { item: Item }) {
  const { id, attributes } = item;
  const isAdmin = useIsAdmin();
  const feeding = useFeedingSignals(id);
  const [isEditing, setEditing] = useState(false);
  const actions = (
    <>
      <CopyButton text={id} label="Copy item ID" isWordy />
      {isAdmin && (
        <Button icon="pencil" onPress={() => setEditing(true)}>
          Edit
        </Button>
      )}
      <LinkButton to={href('/explorer', { items: id })} icon="chart" tone="primary">
        Open in explorer
      </LinkButton>
    </>
  );
  return (
    <Page
      title={attributes.name}
      lead={attributes.description}
      back={{ to: href('/items'), text: 'Items' }}
      actions={actions}
    >
      <LatestCard id={id} attributes={attributes} />
      {feeding.list && (
        <HistoryCard ids={feeding.list.map(({ signal }) => signal.id)} attributes={attributes} />
      )}
      <Tabs
        label="About the item"
        entries={[
          {
            id: 'meta',
            text: 'Metadata',
            content: (
              <Card title="Metadata" actions={<VisibleSwitch item={item} />}>
                <AttributeFacts attributes={attributes} />
              </Card>
            ),
          },
          { id: 'signals', text: 'Signals', content: <FeedingCard item={item} feeding={feeding} /> },
          { id: 'uses', text: 'Used in', content: <UsesCard item={id} /> },
          { id: 'notes', text: 'Annotations', content: <AnnotationList target={items} resource={item} /> },
          { id: 'raw', text: 'Record', content: <RecordCard item={item} /> },
        ]}
      />
      {isEditing && (
        <EditDialog target={items} id={id} attributes={attributes} onClose={() => setEditing(false)} />
      )}
    </Page>
  );
}

function LatestCard({ id, attributes }: Pick<Item, 'id' | 'attributes'>) {
  const answer = useRpc('console.items.status', { ids: [id] }, { refetchMs: 5000 });
  const status = answer.data?.byId[id];
  return (
    <dl className="stats">
      <div className="stat">
        <dt>Last value</dt>
        <dd>{status ? <Value value={status.lastValue} attributes={attributes} /> : '–'}</dd>
        <dd className="note">{status === null ? 'no points yet' : ''}</dd>
      </div>
      <div className="stat">
        <dt>Last point</dt>
        <dd>{status ? <Age at={status.lastTime} /> : '–'}</dd>
        <dd className="note">{status && <Moment at={status.lastTime} />}</dd>
      </div>
    </dl>
  );
}

/** Shows the flag as it will be at once; back as it was when that fails. */
function VisibleSwitch({ item: { id, attributes } }: { item: Item }) {
  const isAdmin = useIsAdmin();
  const save = useEdit(items);
  const isVisible = save.isPending ? save.variables.change.visible === true : attributes.visible;
  const change = (visible: boolean) =>
    save.mutate(
      { ids: [id], change: { visible }, done: visible ? 'Visible now' : 'Hidden now' },
      { onError: tellError },
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

function RecordCard({ item }: { item: Item }) {
  const { id, meta } = item;
  return (
    <Card title="Record">
      <Facts
        facts={[
          ['Item ID', <CopyId key="id" id={id} label="Copy item ID" />],
          [
            'Attributes hash',
            <code key="hash" className="break">
              {meta.attributesHash}
            </code>,
          ],
          ['Created', <Moment key="created" at={meta.createdAt} />],
          ['Changed', <Moment key="updated" at={meta.updatedAt} />],
        ]}
      />
      <CodeBlock label="Record as JSON" text={JSON.stringify(item, null, 2)} />
    </Card>
  );
}
