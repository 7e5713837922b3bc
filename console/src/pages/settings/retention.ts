/** Rules of retention as pages show them. */

/** A rule: of which signals, and for how long. */
export interface RetentionRule {
  /** `all`, `integration:<ID>` or `label:<key>=<value>`. */
  scope: string;
  /** `forever`, or a duration. */
  keep: string;
}

/** What would go at once under a rule. */
export interface RetentionOutcome extends RetentionRule {
  before: string | null;
  signals: number;
  affected: number;
  points: number;
}

/** Answers that change with a rule. */
export const retentionRenewed = ['console.retention.list', 'console.retention.preview', 'console.sizes'];

/** The scope in words; `names` knows integrations by ID. */
export function scopeText(scope: string, names: ReadonlyMap<string, string>): string {
  if (scope === 'all') return 'All signals';
  if (scope.startsWith('integration:')) {
    const id = scope.slice('integration:'.length);
    return `Integration “${names.get(id) ?? id}”`;
  }
  return `Label ${scope.slice('label:'.length).replace('=', ' = ')}`;
}
