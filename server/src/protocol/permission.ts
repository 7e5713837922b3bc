/** Who may call which method (A3, A5): by the grant of its namespace, and people by their role too. */
import type { Caller } from '#model/caller';
import type { Method } from './method.ts';

/** Whether a caller may call a method. */
export function mayCall(
  { grants, person }: Caller,
  { grant, role = 'admin' }: Pick<Method, 'grant' | 'role'>,
): boolean {
  if (grant === null) return true;
  if (person === undefined) return grant === 'integration' || grants.has(grant);
  return grants.has(grant) && (role === 'viewer' || person.role === 'admin');
}
