/** One signal: what it is, how it is, and its item. */

import type { Item, PublishState, Signal } from '@tidemark/client/wire';
import { useState } from 'react';
import { EditDialog } from '../../features/edit/edit-dialog.tsx';
import { ReplacedNote } from '../../features/edit/replaced-note.tsx';
import { Button, LinkButton } from '../../parts/button.tsx';
import { CodeBlock } from '../../parts/code-block.tsx';
import { CopyId, copyAndTell } from '../../parts/copy.tsx';
import { Menu } from '../../parts/menu.tsx';
import { EmptyState, ErrorNotice, Waiting } from '../../parts/notice.tsx';
import { printBytes, printCount } from '../../parts/number.ts';
import { Card, Facts, Page } from '../../parts/page.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import type { PageProps } from '../../platform/router/page-props.ts';
import { href } from '../../platform/router/place.ts';
import { useRpc } from '../../platform/rpc/rpc.ts';
import { useIsAdmin } from '../../platform/session/context.tsx';
import { Age, Moment } from '../../platform/time/moment.tsx';
import { AttributeFacts } from './attribute-facts.tsx';
import { DeletePointsDialog } from './delete-points-dialog.tsx';
import { HistoryCard } from './history-card.tsx';
import { PointsCard, useSignalSize } from './points-card.tsx';
import { PublishBadge, Value } from './signal-cells.tsx';
import { AnnotationList, ItemCard } from './signal-parts.tsx';
import { SpacingFacts } from './spacing-facts.tsx';
import './signals.css';

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
      {answer.error && <ErrorNotice error={answer.error} retry={() => void answer.refetch()} />}
      {answer.isPending && <Waiting />}
      {answer.data && <EmptyState icon="wave" title="There is no such signal" />}
    </Page>
  );
}

function Known({
  signal,
  item,
  back,
}: {
  signal: Signal;
  item: Item | null;
  back: { to: string; text: string };
}) {
  const { id, attributes, meta, relationships } = signal;
  const isAdmin = useIsAdmin();
  const integration = relationships.integration.data?.id ?? '';
  const state = usePublishState(id);
  const [isDeleting, setDeleting] = useState(false);
  const [isEditing, setEditing] = useState(false);
  const target = { kind: 'signals', integration } as const;
  const actions = (
    <>
      {item && (
        <LinkButton to={href('/explorer', { items: item.id })} icon="chart">
          Open in explorer
        </LinkButton>
      )}
      {isAdmin && (
        <Button icon="pencil" onPress={() => setEditing(true)}>
          Edit
        </Button>
      )}
      {isAdmin && (
        <LinkButton
          to={href('/publish', { integration, ids: id })}
          icon="publish"
          tone={item ? 'normal' : 'primary'}
        >
          {item ? 'Compare and publish' : 'Publish'}
        </LinkButton>
      )}
      {isAdmin && (
        <Menu
          label="Actions for the signal"
          tone="normal"
          entries={[
            { text: 'Copy ID', icon: 'copy', run: () => void copyAndTell(id, 'Signal ID') },
            null,
            { text: 'Delete points …', icon: 'trash', isDanger: true, run: () => setDeleting(true) },
          ]}
        />
      )}
    </>
  );
  return (
    <Page
      title={attributes.name}
      lead={<code className="break">{attributes.input}</code>}
      back={back}
      actions={actions}
    >
      <LatestCard signal={signal} />
      <HistoryCard ids={[id]} attributes={attributes} />
      <Tabs
        label="About the signal"
        entries={[
          {
            id: 'meta',
            text: 'Metadata',
            content: (
              <Card title="Metadata" actions={<PublishBadge state={state} />}>
                <AttributeFacts
                  attributes={attributes}
                  first={[['Input key', <code key="input">{attributes.input}</code>]]}
                />
              </Card>
            ),
          },
          {
            id: 'points',
            text: 'Points',
            content: <PointsCard signal={signal} onDelete={() => setDeleting(true)} />,
          },
          { id: 'item', text: 'Item', content: <ItemCard signal={signal} item={item} state={state} /> },
          {
            id: 'notes',
            text: 'Annotations',
            content: <AnnotationList target={target} resource={signal} />,
          },
          {
            id: 'raw',
            text: 'Record',
            content: (
              <Card title="Record">
                <Facts
                  facts={[
                    ['Signal ID', <CopyId key="id" id={id} label="Copy signal ID" />],
                    [
                      'Integration',
                      <CopyId key="integration" id={integration} label="Copy integration ID" />,
                    ],
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
                <CodeBlock label="Record as JSON" text={JSON.stringify(signal, null, 2)} />
              </Card>
            ),
          },
        ]}
      />
      {isDeleting && <DeletePointsDialog signal={signal} onClose={() => setDeleting(false)} />}
      {isEditing && (
        <EditDialog
          target={target}
          id={id}
          attributes={attributes}
          note={<ReplacedNote />}
          onClose={() => setEditing(false)}
        />
      )}
    </Page>
  );
}

/** The state of one signal. */
export function usePublishState(id: string): PublishState | undefined {
  return useRpc('console.publish.status', { ids: [id] }).data?.byId[id];
}

function LatestCard({ signal: { id, attributes } }: { signal: Signal }) {
  const answer = useRpc('console.signals.status', { ids: [id] }, { refetchMs: 5000 });
  const status = answer.data?.byId[id];
  const size = useSignalSize(id);
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
      <div className="stat">
        <dt>Points</dt>
        <dd>{size ? printCount(size.points) : '–'}</dd>
        <dd className="note">{size && `${printBytes(size.bytes)} on disk`}</dd>
      </div>
      <SpacingFacts attributes={attributes} status={status} />
    </dl>
  );
}
