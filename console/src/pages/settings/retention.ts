/** Retention rules as pages show and edit them. */
import type { RetentionRule } from '@tidemark/client/wire';

/** The answers that a change of rules renews. */
export const retentionRenewed = [
  'console.retention.list',
  'console.retention.preview',
  'console.sizes',
] as const;

/** The scope in words; `names` knows integrations by ID. */
export function scopeText(scope: string, names: ReadonlyMap<string, string>): string {
  if (scope === 'all') return 'All signals';
  if (scope.startsWith('integration:')) {
    const id = scope.slice('integration:'.length);
    return `Integration “${names.get(id) ?? id}”`;
  }
  return `Label ${scope.slice('label:'.length).replace('=', ' = ')}`;
}

/** The kinds of scopes. */
export const scopeKinds = [
  { value: 'all', text: 'All signals' },
  { value: 'integration', text: 'Signals of an integration' },
  { value: 'label', text: 'Signals with a label' },
] as const;

/** One of them. */
export type ScopeKind = (typeof scopeKinds)[number]['value'];

/** A rule as it is edited. */
export interface RuleDraft {
  kind: ScopeKind;
  integration: string;
  key: string;
  value: string;
  keep: string;
}

/** The form for an existing rule, or for a new one. */
export function draftOf(rule: RetentionRule | null, names: ReadonlyMap<string, string>): RuleDraft {
  const [first = ''] = names.keys();
  return { kind: 'all', integration: first, key: '', value: '', keep: rule?.keep ?? 'P400D' };
}

/** The scope of a rule, as the service takes it. */
export function scopeOf({ kind, integration, key, value }: RuleDraft): string {
  if (kind === 'integration') return `integration:${integration}`;
  return kind === 'label' ? `label:${key.trim()}=${value.trim()}` : 'all';
}
