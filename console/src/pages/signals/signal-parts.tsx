/** Parts of the pages of signals and items. */

import type { Item, PublishState, Signal } from '@tidemark/client/wire';
import { useState } from 'react';
import { AnnotationsDialog } from '../../features/edit/annotations-dialog.tsx';
import { attributeTitles } from '../../features/edit/change.ts';
import type { EditTarget } from '../../features/edit/target.ts';
import { Button, LinkButton } from '../../parts/button.tsx';
import { CopyId } from '../../parts/copy.tsx';
import { EmptyState } from '../../parts/notice.tsx';
import { Card, Facts } from '../../parts/page.tsx';
import { href } from '../../platform/router/place.ts';
import { useIsAdmin } from '../../platform/session/context.tsx';
import { Moment } from '../../platform/time/moment.tsx';
import { ConnectDialog, DisconnectDialog } from './link-dialogs.tsx';
import { PublishBadge } from './signal-cells.tsx';

/** The item that a signal feeds, or how it gets one. */
export function ItemCard({
  signal,
  item,
  state,
}: {
  signal: Signal;
  item: Item | null;
  state: PublishState | undefined;
}) {
  const isAdmin = useIsAdmin();
  const [doing, setDoing] = useState<'connect' | 'disconnect' | null>(null);
  const close = () => setDoing(null);
  const integration = signal.relationships.integration.data?.id ?? '';
  const connect = isAdmin && (
    <Button icon="link" onPress={() => setDoing('connect')}>
      {item ? 'Connect to another item' : 'Connect to an item'}
    </Button>
  );
  return (
    <>
      {item ? (
        <Card title="Item" actions={<PublishBadge state={state} />}>
          <ItemFacts item={item} state={state} />
          {isAdmin && (
            <div className="line">
              {connect}
              <Button tone="danger" onPress={() => setDoing('disconnect')}>
                Disconnect
              </Button>
            </div>
          )}
        </Card>
      ) : (
        <Card>
          <EmptyState
            icon="box"
            title="Not published"
            action={
              isAdmin && (
                <>
                  <LinkButton
                    to={href('/publish', { integration, ids: signal.id })}
                    tone="primary"
                    icon="publish"
                  >
                    Publish
                  </LinkButton>
                  {connect}
                </>
              )
            }
          >
            <p>
              Readers cannot see this signal. Publishing makes an item of it, whose metadata may differ from
              the signal’s.
            </p>
          </EmptyState>
        </Card>
      )}
      {doing === 'connect' && <ConnectDialog signal={signal} onClose={close} />}
      {doing === 'disconnect' && item && <DisconnectDialog signal={signal} item={item} onClose={close} />}
    </>
  );
}

function ItemFacts({ item, state }: { item: Item; state: PublishState | undefined }) {
  return (
    <Facts
      facts={[
        [
          'Name',
          <a key="name" href={href(`/items/${item.id}`)}>
            {item.attributes.name}
          </a>,
        ],
        ['Item ID', <CopyId key="id" id={item.id} label="Copy item ID" />],
        ['Visible', item.attributes.visible ? 'yes' : 'no'],
        ['Differs in', <Differences key="differs" state={state} />],
        ['Changed', <Moment key="updated" at={item.meta.updatedAt} />],
      ]}
    />
  );
}

function Differences({ state }: { state: PublishState | undefined }) {
  if (!state) return <span className="quiet">–</span>;
  if (state.differs.length === 0) return <>nothing</>;
  const titles: Readonly<Record<string, string>> = attributeTitles;
  return <>{state.differs.map((name) => titles[name] ?? name).join(', ')}</>;
}

/** Notes of programs, to be edited by administrators. */
export function AnnotationList({
  target,
  resource: { id, meta },
}: {
  target: EditTarget;
  resource: Signal | Item;
}) {
  const isAdmin = useIsAdmin();
  const [isEditing, setEditing] = useState(false);
  const entries = Object.entries(meta.annotations);
  const edit = isAdmin && (
    <Button icon="pencil" onPress={() => setEditing(true)}>
      Edit annotations
    </Button>
  );
  return (
    <Card title="Annotations" note="Free notes of programs. They are no part of the hash." actions={edit}>
      {entries.length === 0 ? (
        <p className="quiet">None.</p>
      ) : (
        <Facts facts={entries.map(([key, value]) => [key, <code key={key}>{value}</code>] as const)} />
      )}
      {isEditing && (
        <AnnotationsDialog
          target={target}
          id={id}
          annotations={meta.annotations}
          onClose={() => setEditing(false)}
        />
      )}
    </Card>
  );
}
