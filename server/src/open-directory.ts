/** Opens a data directory: connects the store and the domain, for the service and for commands, which need nothing above them. */
import { type Domain, type DomainOptions, openDomain } from '#domain/domain';
import type { Environment } from '#model/environment';
import { openSqlite } from '#storage/sqlite/store';

/** Options of {@link openDirectory}. */
export interface DirectoryOptions extends DomainOptions {
  /** The data directory; created if it is missing. */
  directory: string;
  /** Whether this process is the service, of which there is at most one for a directory. Default false. */
  serving?: boolean;
  /** Whether the store works on the calling thread, with which short commands start faster. Default false. */
  isLocal?: boolean;
}

/** Opens a data directory and the domain over it. Fails as `openSqlite` does. */
export async function openDirectory(options: DirectoryOptions, environment: Environment): Promise<Domain> {
  return openDomain(await openSqlite({ ...options, ...environment }), options, environment);
}
