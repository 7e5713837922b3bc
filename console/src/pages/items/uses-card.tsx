/** The saved views and formulas that use an item. */
import { Badge } from '../../parts/badge.tsx';
import { LinkButton } from '../../parts/button.tsx';
import { EmptyState, Failure, Waiting } from '../../parts/notice.tsx';
import { Card } from '../../parts/page.tsx';
import { href } from '../../platform/router/place.ts';
import { useRpc } from '../../platform/rpc/rpc.ts';
import { type Use, usesOf } from './uses.ts';

/** The card. */
export function UsesCard({ item }: { item: string }) {
  const answer = useRpc('console.views.list');
  const uses = answer.data && usesOf(answer.data.views, item);
  return (
    <Card
      title="Used in"
      note="Calculated items and saved views. Formulas that programs send with their calls are not stored."
    >
      <Failure of={answer} />
      <CalculatedUsers item={item} />
      {answer.isPending && <Waiting />}
      {uses?.length === 0 && (
        <EmptyState
          icon="formula"
          title="In no saved view yet"
          action={
            <LinkButton to={href('/explorer', { items: item })} icon="chart">
              Open in explorer
            </LinkButton>
          }
        >
          <p>Charts and formulas that are saved as views appear here if they use the item.</p>
        </EmptyState>
      )}
      <ul className="stack">
        {uses?.map((use) => (
          <li key={use.view.id}>
            <UseView use={use} />
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** The calculated items whose formula uses the item. */
function CalculatedUsers({ item }: { item: string }) {
  const answer = useRpc('console.calculations.show', { id: item });
  const users = answer.data?.usedBy ?? [];
  if (users.length === 0) return null;
  return (
    <ul className="stack-tight">
      {users.map(({ id, name }) => (
        <li key={id} className="line">
          <a className="table-name" href={href(`/items/${id}`)}>
            {name}
          </a>
          <Badge tone="info">calculated</Badge>
        </li>
      ))}
    </ul>
  );
}

function UseView({ use: { view, to, aliases, calculations } }: { use: Use }) {
  return (
    <div className="stack-tight">
      <p className="line">
        <a className="table-name" href={to}>
          {view.name}
        </a>
        {view.owner.name && <span className="quiet">{view.owner.name}</span>}
        <Badge tone={calculations.length > 0 ? 'info' : 'quiet'}>
          {calculations.length > 0 ? 'formula' : 'chart'}
        </Badge>
        {aliases.length > 0 && (
          <span className="quiet small">
            as <code>{aliases.join(', ')}</code>
          </span>
        )}
      </p>
      {calculations.map(({ alias, formula }) => (
        <code key={alias} className="break">
          {alias} = {formula}
        </code>
      ))}
    </div>
  );
}
