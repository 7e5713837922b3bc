/** The first administrator of a service: made from the settings, or invited with the set-up code. */
import type { Config } from '#config';
import type { Domain } from '#domain/domain';
import { serviceAct } from '#model/act';
import { UsageError } from './usage.ts';

/** Refuses half of what makes an administrator. Throws {@link UsageError}. */
export function checkFirstPerson({ adminName, adminPassword }: Config['settings']): void {
  if ((adminName === null) === (adminPassword === null)) return;
  throw new UsageError('--admin-name and --admin-password-file make an administrator together, or neither');
}

/** Makes the administrator of the settings when there are no people yet; afterwards these settings have no effect. */
export async function makeFirstPerson(
  { people }: Domain,
  { adminName, adminPassword }: Config['settings'],
): Promise<void> {
  if (adminName === null || adminPassword === null || people.list().length > 0) return;
  await people.create(serviceAct, { name: adminName, password: adminPassword, role: 'admin' });
}
