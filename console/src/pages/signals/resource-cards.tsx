/** Parts of the pages of a signal and of an item. */
import type { Item, PublishState, Signal, SignalStatus } from '@tidemark/client/wire';
import { AnnotationsDialog } from '../../features/edit/annotations-dialog.tsx';
import type { EditTarget } from '../../features/edit/target.ts';
import { CodeBlock } from '../../parts/code-block.tsx';
import { CopyId } from '../../parts/copy.tsx';
import { DialogButton } from '../../parts/dialog.tsx';
import { Card, type Fact, Facts, Stat } from '../../parts/page.tsx';
import { useRpc } from '../../platform/rpc/rpc.ts';
import type { Attributes } from '../../platform/rpc/shapes.ts';
import { useIsAdmin } from '../../platform/session/context.tsx';
import { Age, Moment } from '../../platform/time/moment.tsx';
import { PublishBadge, Value } from './signal-cells.tsx';

/** The ID of the integration that a signal belongs to. */
export function integrationOf({ relationships }: Signal): string {
  return relationships.integration.data?.id ?? '';
}

/** How a signal compares with its item; undefined until the service has answered. */
export function usePublishState(id: string): PublishState | undefined {
  return useRpc('console.publish.status', { ids: [id] }).data?.byId[id];
}

/** The same as a badge. */
export function SignalState({ id }: { id: string }) {
  return <PublishBadge state={usePublishState(id)} />;
}

interface LatestStatsProps {
  status: SignalStatus | null | undefined;
  attributes: Attributes;
}

/** The newest value and its time. `status`: null if there are no points, undefined until the service has answered. */
export function LatestStats({ status, attributes }: LatestStatsProps) {
  return (
    <>
      <Stat title="Last value" note={status === null ? 'no points yet' : ''}>
        {status ? <Value value={status.lastValue} attributes={attributes} /> : '–'}
      </Stat>
      <Stat title="Last point" note={status && <Moment at={status.lastTime} />}>
        {status ? <Age at={status.lastTime} /> : '–'}
      </Stat>
    </>
  );
}

interface AnnotationListProps {
  target: EditTarget;
  resource: Signal | Item;
}

/** Free notes, which administrators can edit. */
export function AnnotationList({ target, resource: { id, meta } }: AnnotationListProps) {
  const isAdmin = useIsAdmin();
  const entries = Object.entries(meta.annotations);
  const edit = isAdmin && (
    <DialogButton icon="pencil" text="Edit annotations">
      {(close) => (
        <AnnotationsDialog target={target} id={id} annotations={meta.annotations} onClose={close} />
      )}
    </DialogButton>
  );
  return (
    <Card title="Annotations" note="Free notes of programs. They are not part of the hash." actions={edit}>
      {entries.length === 0 ? (
        <p className="quiet">None.</p>
      ) : (
        <Facts facts={entries.map(([key, value]) => [key, <code key={key}>{value}</code>])} />
      )}
    </Card>
  );
}

/** ID, hash and times, and the whole resource as JSON. */
export function DetailsCard({ resource, more = [] }: { resource: Signal | Item; more?: readonly Fact[] }) {
  const { id, type, meta } = resource;
  const noun = type === 'signals' ? 'signal' : 'item';
  const hash = <code className="break">{meta.attributesHash}</code>;
  return (
    <Card title="Details">
      <Facts
        facts={[
          [
            noun === 'signal' ? 'Signal ID' : 'Item ID',
            <CopyId key="id" id={id} label={`Copy ${noun} ID`} />,
          ],
          ...more,
          ['Attributes hash', hash],
          ['Created', <Moment key="created" at={meta.createdAt} />],
          ['Changed', <Moment key="updated" at={meta.updatedAt} />],
        ]}
      />
      <CodeBlock label="As JSON" text={JSON.stringify(resource, null, 2)} />
    </Card>
  );
}
