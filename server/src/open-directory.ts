/** Opens the store and the domain over it, for commands, which need nothing above them. */
import { type Domain, type DomainOptions, openDomain } from '#domain/domain';
import type { Environment } from '#model/environment';
import { openSqlite } from '#storage/sqlite/store';
import { type ClusterAddresses, openCluster } from './open-cluster.ts';

/** Options of {@link openDirectory}. */
export interface DirectoryOptions extends DomainOptions {
  /** The data directory; created if it is missing, and not used where there are addresses. */
  directory: string;
  /** Where metadata and points are, if not in the data directory; default null. */
  cluster?: ClusterAddresses | null;
  /** Whether this process is the service, of which there is at most one for a directory. Default false. */
  serving?: boolean;
  /** Whether the store works on the calling thread, with which short commands start faster. Default false. */
  isLocal?: boolean;
}

/** Opens the store and the domain over it. Fails as `openSqlite` and `openCluster` do. */
export async function openDirectory(options: DirectoryOptions, environment: Environment): Promise<Domain> {
  if (options.cluster)
    return openDomain(
      await openCluster({ ...options, addresses: options.cluster }, environment),
      options,
      environment,
    );
  return openDomain(await openSqlite({ ...options, ...environment }), options, environment);
}
