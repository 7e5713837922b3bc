/** Publishing rules as the audit shows them. */
import type { PublishRule } from '#model/publish-rule';
import type { Json } from '../audit/canonical.ts';

/** The fields that an administrator decides. */
export function auditViewOf(rule: PublishRule): { [field: string]: Json } {
  const { name, position, isEnabled, integration, filterText, item, maps, joins, overwrite } = rule;
  return {
    name,
    position,
    isEnabled,
    integration,
    filter: filterText,
    item: { ...item },
    maps,
    join: joins === null ? null : { ...joins },
    overwrite,
  };
}
