/** A publishing rule as it is edited: texts of fields, and the rule that they say. */
import { isObject, parseJson } from '../../parts/json.ts';
import type { ParamsOf } from '../../platform/rpc/rpc.ts';

/** What is saved. */
export type RuleSave = ParamsOf<'console.rules.save'>['rule'];

/** What signals join. */
export const joinKinds = [
  { value: 'own', text: 'An item for each signal' },
  { value: 'key', text: 'One item for signals with the same text' },
  { value: 'item', text: 'An item that is there' },
] as const;

/** The fields of the form. */
export interface RuleDraft {
  name: string;
  position: string;
  enabled: boolean;
  /** Empty: of all. */
  integration: string;
  /** JSON. */
  filter: string;
  itemName: string;
  description: string;
  engUnit: string;
  visible: boolean;
  copyLabels: boolean;
  /** JSON. */
  labels: string;
  /** JSON; empty: as the signal. */
  enumValues: string;
  /** JSON. */
  maps: string;
  joinKind: (typeof joinKinds)[number]['value'];
  /** The template, or the ID of the item. */
  join: string;
  overwrite: boolean;
}

/** A new rule. */
export const newRule = draftOfRule({ name: '' });

/** The form for a stored rule. */
export function draftOfRule(rule: RuleSave): RuleDraft {
  const { item = {}, join = null } = rule;
  return {
    name: rule.name,
    position: String(rule.position ?? 100),
    enabled: rule.enabled ?? true,
    integration: rule.integration ?? '',
    filter: print(rule.filter ?? {}),
    itemName: item.name ?? '{name}',
    description: item.description ?? '',
    engUnit: item.engUnit ?? '',
    visible: item.visible ?? true,
    copyLabels: item.copyLabels ?? true,
    labels: print(item.labels ?? {}),
    enumValues: item.enumValues ? print(item.enumValues) : '',
    maps: print(rule.maps ?? {}),
    joinKind: join === null ? 'own' : 'key' in join ? 'key' : 'item',
    join: join === null ? '' : 'key' in join ? join.key : join.item,
    overwrite: rule.overwrite ?? false,
  };
}

/** The fields that hold JSON. */
type JsonField = 'filter' | 'labels' | 'enumValues' | 'maps';

/** The rule of a form; or which fields hold no JSON object. */
export function ruleOf(
  draft: RuleDraft,
): { rule: RuleSave } | { faults: Partial<Record<JsonField, string>> } {
  const faults: Partial<Record<JsonField, string>> = {};
  const read = (field: JsonField): object => {
    const { value } = parseJson(draft[field]);
    if (isObject(value)) return value;
    faults[field] = 'must be a JSON object';
    return {};
  };
  const parts = { filter: read('filter'), labels: read('labels'), maps: read('maps') };
  const enumValues = draft.enumValues.trim() === '' ? null : read('enumValues');
  if (Object.keys(faults).length > 0) return { faults };
  const { name, enabled, overwrite, visible, copyLabels } = draft;
  const rule = {
    name,
    position: Number(draft.position.trim() || Number.NaN),
    enabled,
    integration: draft.integration || null,
    filter: parts.filter,
    item: {
      name: draft.itemName,
      description: draft.description || null,
      engUnit: draft.engUnit || null,
      visible,
      copyLabels,
      labels: parts.labels,
      enumValues,
    },
    maps: parts.maps,
    join: joinOf(draft),
    overwrite,
  };
  // The service checks what JSON objects hold, and says where they are wrong.
  return { rule: rule as RuleSave };
}

function joinOf({ joinKind, join }: RuleDraft): RuleSave['join'] {
  if (joinKind === 'own') return null;
  return joinKind === 'key' ? { key: join } : { item: join.trim() };
}

function print(value: object): string {
  return JSON.stringify(value);
}
