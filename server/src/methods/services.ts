/** The services that methods may take; each picks those that it uses. */
import type { Domain } from '#domain/domain';
import type { CallWatch, Host } from './console/host.ts';

/** The domain and the process. */
export interface MethodServices extends Domain {
  host: Host;
  calls: CallWatch;
}
