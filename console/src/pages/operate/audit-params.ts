/** The filter of the audit log. */
import { parseCivil } from '../../platform/time/civil.ts';

/** The fields that are compared with a text. */
export const filterNames = ['action', 'actor', 'target'] as const;

/** The parameters of an address, whose times are in `zone`. */
export function auditParams(search: URLSearchParams, zone: string) {
  const filter = filterNames.flatMap((name) => {
    const value = search.get(name)?.trim();
    return value ? [[name, value]] : [];
  });
  const times = (['from', 'until'] as const).flatMap((name) => {
    const ms = parseCivil(zone, search.get(name) ?? '');
    return ms === null ? [] : [[name, new Date(ms).toISOString()]];
  });
  return { filter: Object.fromEntries(filter), ...Object.fromEntries(times) };
}
