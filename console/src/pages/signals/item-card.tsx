/** The item that a signal feeds. */
import type { Item, Signal } from '@tidemark/client/wire';
import { differingFields } from '../../features/edit/change.ts';
import { LinkButton } from '../../parts/button.tsx';
import { CopyId } from '../../parts/copy.tsx';
import { DialogButton } from '../../parts/dialog.tsx';
import { EmptyState } from '../../parts/notice.tsx';
import { Card, Facts } from '../../parts/page.tsx';
import { href } from '../../platform/router/place.ts';
import { useIsAdmin } from '../../platform/session/context.tsx';
import { Moment } from '../../platform/time/moment.tsx';
import { ConnectDialog, DisconnectDialog } from './link-dialogs.tsx';
import { integrationOf, SignalState, usePublishState } from './resource-cards.tsx';

/** The item, or how the signal gets one. */
export function ItemCard({ signal, item }: { signal: Signal; item: Item | null }) {
  const isAdmin = useIsAdmin();
  const connect = isAdmin && (
    <DialogButton icon="link" text={item ? 'Connect to another item' : 'Connect to an item'}>
      {(close) => <ConnectDialog signal={signal} onClose={close} />}
    </DialogButton>
  );
  if (item === null) return <NotPublished signal={signal} connect={connect} />;
  return (
    <Card title="Item" actions={<SignalState id={signal.id} />}>
      <ItemFacts signal={signal} item={item} />
      {isAdmin && (
        <div className="line">
          {connect}
          <DialogButton tone="danger" text="Disconnect">
            {(close) => <DisconnectDialog signal={signal} item={item} onClose={close} />}
          </DialogButton>
        </div>
      )}
    </Card>
  );
}

function NotPublished({ signal, connect }: { signal: Signal; connect: React.ReactNode }) {
  const publish = href('/publish', { integration: integrationOf(signal), ids: signal.id });
  const actions = connect && (
    <>
      <LinkButton to={publish} tone="primary" icon="publish">
        Publish
      </LinkButton>
      {connect}
    </>
  );
  return (
    <Card>
      <EmptyState icon="box" title="Not published" action={actions}>
        <p>
          Readers cannot see this signal. Publishing creates an item, whose metadata may differ from the
          signal’s.
        </p>
      </EmptyState>
    </Card>
  );
}

function ItemFacts({ signal, item: { id, attributes, meta } }: { signal: Signal; item: Item }) {
  const state = usePublishState(signal.id);
  return (
    <Facts
      facts={[
        [
          'Name',
          <a key="name" href={href(`/items/${id}`)}>
            {attributes.name}
          </a>,
        ],
        ['Item ID', <CopyId key="id" id={id} label="Copy item ID" />],
        ['Visible', attributes.visible ? 'yes' : 'no'],
        ['Differs in', state ? differingFields(state) || 'nothing' : '–'],
        ['Changed', <Moment key="updated" at={meta.updatedAt} />],
      ]}
    />
  );
}
