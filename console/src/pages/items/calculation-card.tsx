/** How a calculated item is computed: its formula, its inputs, and the versions that there were. */
import type { CalculatedItem, CalculationVersion } from '@tidemark/client/wire';
import { formulaHref } from '../../features/calculated/saved-formula.ts';
import { changedBySaving, savedItem } from '../../features/calculated/saved-item.ts';
import { aggregations } from '../../features/formula/sheet.ts';
import { Badge } from '../../parts/badge.tsx';
import { LinkButton } from '../../parts/button.tsx';
import { DialogButton } from '../../parts/dialog.tsx';
import { ConfirmDialog, FormDialog } from '../../parts/form.tsx';
import { Failure, Waiting } from '../../parts/notice.tsx';
import { Card } from '../../parts/page.tsx';
import { notify } from '../../parts/toast.tsx';
import { href, navigate } from '../../platform/router/place.ts';
import { type ResultOf, useRpc, useRpcChange } from '../../platform/rpc/rpc.ts';
import { useIsAdmin } from '../../platform/session/context.tsx';
import { Moment } from '../../platform/time/moment.tsx';

type Shown = ResultOf<'console.calculations.show'>;

/** The card. */
export function CalculationCard({ id }: { id: string }) {
  const answer = useRpc('console.calculations.show', { id });
  const item = answer.data?.item ?? null;
  return (
    <Card
      title="Formula"
      note="Computed when it is read, bucket by bucket, always with the newest version."
      actions={item && <Actions item={item} />}
    >
      <Failure of={answer} />
      {answer.isPending && <Waiting />}
      {item && answer.data && (
        <>
          <code className="break">{item.formula}</code>
          <InputList inputs={item.inputs} named={answer.data.inputs} />
          <p className="quiet small">
            Version {item.version}; where every point is shown, a value each {item.interval}
          </p>
          <Versions item={item} />
        </>
      )}
    </Card>
  );
}

function Actions({ item }: { item: CalculatedItem }) {
  const isAdmin = useIsAdmin();
  return (
    <>
      <LinkButton to={formulaHref(item)} icon="formula">
        {isAdmin ? 'Change the formula' : 'Open in formulas'}
      </LinkButton>
      {isAdmin && (
        <DialogButton icon="trash" text="Delete item">
          {(close) => <DeleteDialog item={item} onClose={close} />}
        </DialogButton>
      )}
    </>
  );
}

function DeleteDialog({ item, onClose }: { item: CalculatedItem; onClose(): void }) {
  const { id, attributes } = item;
  const remove = useRpcChange('console.calculations.delete', ['console.calculations.list'], () => {
    notify(`Deleted ${attributes.name}`);
    navigate(href('/items'));
  });
  return (
    <ConfirmDialog
      title="Delete calculated item"
      action="Delete"
      sending={remove}
      onSubmit={() => remove.mutate({ id })}
      onClose={onClose}
    >
      <p>
        <b>{attributes.name}</b> and the versions of its formula are deleted. Its inputs stay. Charts and
        programs that read it will not find it any more.
      </p>
    </ConfirmDialog>
  );
}

function InputList({ inputs, named }: { inputs: CalculatedItem['inputs']; named: Shown['inputs'] }) {
  return (
    <ul className="stack-tight">
      {inputs.map(({ id, alias, aggregation, state, lead, lag }) => {
        const item = named.find((one) => one.id === id);
        const how = [
          (aggregations[aggregation] ?? aggregation).toLowerCase(),
          ...(state === undefined ? [] : [`state ${state}`]),
          ...(lead === 0 ? [] : [`lead ${lead}`]),
          ...(lag === 0 ? [] : [`lag ${lag}`]),
        ];
        return (
          <li key={alias} className="line">
            <code>{alias}</code>
            <a className="table-name" href={href(`/items/${id}`)}>
              {item?.name ?? id}
            </a>
            <span className="quiet small">{how.join(', ')}</span>
            {item?.calculated && <Badge tone="info">calculated</Badge>}
          </li>
        );
      })}
    </ul>
  );
}

/** Earlier formulas; there is nothing to show before the first change. */
function Versions({ item }: { item: CalculatedItem }) {
  const { id, version: current } = item;
  const answer = useRpc('console.calculations.versions', { id }, { isEnabled: current > 1 });
  if (!answer.data) return null;
  return (
    <section aria-label="Versions">
      <h3>Versions</h3>
      <ol className="stack-tight" reversed>
        {answer.data.versions.map((version) => (
          <VersionRow key={version.version} version={version} item={item} />
        ))}
      </ol>
    </section>
  );
}

function VersionRow({ version, item }: { version: CalculationVersion; item: CalculatedItem }) {
  const isAdmin = useIsAdmin();
  const isCurrent = version.version === item.version;
  return (
    <li className="line" value={version.version}>
      <span className="quiet small">{version.version}</span>
      <code className="break">{version.formula}</code>
      <span className="quiet small">
        <Moment at={version.savedAt} /> by{' '}
        <span title={version.actor}>{version.actorName ?? version.actor}</span>
      </span>
      {isCurrent && <Badge tone="good">in use</Badge>}
      {!isCurrent && isAdmin && (
        <DialogButton isTiny aria-label={`Restore version ${version.version}`} text="Restore">
          {(close) => <RestoreDialog item={item} version={version} onClose={close} />}
        </DialogButton>
      )}
    </li>
  );
}

interface RestoreProps {
  item: CalculatedItem;
  version: CalculationVersion;
  onClose(): void;
}

/** An earlier version becomes the newest one; the item is otherwise as it is. */
function RestoreDialog({ item, version: { version, formula, inputs, interval }, onClose }: RestoreProps) {
  const restore = useRpcChange('console.calculations.save', changedBySaving, (saved) => {
    notify(`${saved.attributes.name} has version ${saved.version} now`);
    onClose();
  });
  const saved = { id: item.id, item: savedItem(item), formula, inputs, interval };
  return (
    <FormDialog
      title={`Restore version ${version}`}
      action="Restore"
      sending={restore}
      onSubmit={() => restore.mutate(saved)}
      onClose={onClose}
    >
      <p>
        <b>{item.attributes.name}</b> is computed with this formula again, for the past too, as version{' '}
        {item.version + 1}. Its name, unit and labels stay as they are.
      </p>
      <code className="break">{formula}</code>
    </FormDialog>
  );
}
