/** One signal: its newest value, history, metadata, points and item. */
import type { Item, Signal } from '@tidemark/client/wire';
import { useState } from 'react';
import { EditDialog } from '../../features/edit/edit-dialog.tsx';
import { LinkButton } from '../../parts/button.tsx';
import { CopyId, copyAndNotify } from '../../parts/copy.tsx';
import { DialogButton } from '../../parts/dialog.tsx';
import { Menu } from '../../parts/menu.tsx';
import { Answer, EmptyState } from '../../parts/notice.tsx';
import { printBytes, printCount } from '../../parts/number.ts';
import { Card, Page, Stat } from '../../parts/page.tsx';
import { type TabEntry, Tabs } from '../../parts/tabs.tsx';
import { href, type PageProps } from '../../platform/router/place.ts';
import { useRpc } from '../../platform/rpc/rpc.ts';
import { useIsAdmin } from '../../platform/session/context.tsx';
import { AttributeFacts } from './attribute-facts.tsx';
import { DeletePointsDialog } from './delete-points-dialog.tsx';
import { HistoryCard } from './history-card.tsx';
import { ItemCard } from './item-card.tsx';
import { PointsCard, useSignalSize } from './points-card.tsx';
import { AnnotationList, DetailsCard, integrationOf, LatestStats, SignalState } from './resource-cards.tsx';
import { SpacingStat } from './spacing-stat.tsx';

/** The page. */
export default function SignalPage({ params }: PageProps) {
  const { integration = '', id = '' } = params;
  const answer = useRpc('admin.selectSignals', {
    integration,
    query: { filter: { id }, limit: 1 },
    include: ['item'],
  });
  const signal = answer.data?.data[0];
  const back = { to: href('/signals', { integration }), text: 'Signals' };
  if (signal) return <Known signal={signal} item={answer.data?.included?.[0] ?? null} back={back} />;
  return (
    <Page title="Signal" back={back}>
      <Answer of={answer}>{() => <EmptyState icon="wave" title="There is no such signal" />}</Answer>
    </Page>
  );
}

interface KnownProps {
  signal: Signal;
  item: Item | null;
}

function Known({ signal, item, back }: KnownProps & { back: { to: string; text: string } }) {
  const { id, attributes } = signal;
  const [isDeleting, setDeleting] = useState(false);
  const remove = () => setDeleting(true);
  return (
    <Page
      title={attributes.name}
      lead={<code className="break">{attributes.input}</code>}
      back={back}
      actions={<Actions signal={signal} item={item} onDelete={remove} />}
    >
      <dl className="stats">
        <SignalStats signal={signal} />
      </dl>
      <HistoryCard ids={[id]} attributes={attributes} />
      <Tabs label="About the signal" entries={tabsOf(signal, item, remove)} />
      {isDeleting && <DeletePointsDialog signal={signal} onClose={() => setDeleting(false)} />}
    </Page>
  );
}

function tabsOf(signal: Signal, item: Item | null, remove: () => void): TabEntry[] {
  const { attributes } = signal;
  const integration = integrationOf(signal);
  return [
    {
      id: 'meta',
      text: 'Metadata',
      content: (
        <Card title="Metadata" actions={<SignalState id={signal.id} />}>
          <AttributeFacts
            attributes={attributes}
            first={[['Input key', <code key="input">{attributes.input}</code>]]}
          />
        </Card>
      ),
    },
    { id: 'points', text: 'Points', content: <PointsCard signal={signal} onDelete={remove} /> },
    { id: 'item', text: 'Item', content: <ItemCard signal={signal} item={item} /> },
    {
      id: 'notes',
      text: 'Annotations',
      content: <AnnotationList target={{ kind: 'signals', integration }} resource={signal} />,
    },
    {
      id: 'raw',
      text: 'Details',
      content: (
        <DetailsCard
          resource={signal}
          more={[['Integration', <CopyId key="integration" id={integration} label="Copy integration ID" />]]}
        />
      ),
    },
  ];
}

function Actions({ signal, item, onDelete }: KnownProps & { onDelete(): void }) {
  const { id, attributes } = signal;
  const isAdmin = useIsAdmin();
  const integration = integrationOf(signal);
  return (
    <>
      {item && (
        <LinkButton to={href('/explorer', { items: item.id })} icon="chart">
          Open in explorer
        </LinkButton>
      )}
      {isAdmin && (
        <>
          <DialogButton icon="pencil" text="Edit">
            {(close) => (
              <EditDialog
                target={{ kind: 'signals', integration }}
                id={id}
                attributes={attributes}
                onClose={close}
              />
            )}
          </DialogButton>
          <LinkButton
            to={href('/publish', { integration, ids: id })}
            icon="publish"
            tone={item ? 'normal' : 'primary'}
          >
            {item ? 'Compare and publish' : 'Publish'}
          </LinkButton>
          <Menu
            label="Actions for the signal"
            tone="normal"
            entries={[
              { text: 'Copy ID', icon: 'copy', run: () => void copyAndNotify(id, 'Signal ID') },
              null,
              { text: 'Delete points …', icon: 'trash', isDanger: true, run: onDelete },
            ]}
          />
        </>
      )}
    </>
  );
}

function SignalStats({ signal: { id, attributes } }: { signal: Signal }) {
  const answer = useRpc('console.signals.status', { ids: [id] }, { refetchMs: 5000 });
  const status = answer.data?.byId[id];
  const size = useSignalSize(id);
  return (
    <>
      <LatestStats status={status} attributes={attributes} />
      <Stat title="Points" note={size && `${printBytes(size.bytes)} on disk`}>
        {size ? printCount(size.points) : '–'}
      </Stat>
      <SpacingStat attributes={attributes} status={status} />
    </>
  );
}
