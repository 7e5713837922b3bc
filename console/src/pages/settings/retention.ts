/** Retention rules as pages show them. */

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
