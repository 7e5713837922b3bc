/** The publishing rule that made an item. */
import { href } from '../../platform/router/place.ts';
import { useRpc } from '../../platform/rpc/rpc.ts';

/** The annotation in which a rule notes its ID. */
const ruleNote = 'tidemark/publish/rule';

/** A link to the rule, or the words that it was deleted; nothing for an item that no rule made. */
export function MadeByRule({ annotations }: { annotations: Readonly<Record<string, string>> }) {
  const id = annotations[ruleNote];
  const rules = useRpc('console.rules.list', {}, { isEnabled: id !== undefined });
  if (id === undefined || !rules.data) return null;
  const rule = rules.data.rules.find((known) => known.id === id);
  return rule ? (
    <a href={href(`/rules/${id}`)}>Rule {rule.name}</a>
  ) : (
    <span className="quiet">Made by a rule that was deleted</span>
  );
}
