/** Where a server listens, alone or together with the servers of other threads. */
import { type AddressInfo, createServer, type Server } from 'node:net';

/** An address. */
export interface ListenTarget {
  host: string;
  port: number;
  /** Whether the system distributes its connections over several servers. */
  isShared: boolean;
}

/** Begins to listen. Port 0 takes a free one. Rejects with the system's error. */
export function listen(server: Server, { host, port, isShared }: ListenTarget): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, ...(isShared ? { reusePort: true } : {}) }, () => {
      server.off('error', reject);
      resolve(server.address() as AddressInfo);
    });
  });
}

/**
 * A free port of this host, which must be known before the service is made since tokens contain it; or `wanted`, if that is
 * free. Rejects with the system's error: a socket that shares its port would not notice that another process has it.
 */
export async function freePort(host: string, wanted = 0): Promise<number> {
  const probe = createServer();
  const { port } = await listen(probe, { host, port: wanted, isShared: false });
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

/** Whether the system distributes the connections of a port over several sockets. */
export async function canSharePort(): Promise<boolean> {
  const probe = createServer();
  try {
    await listen(probe, { host: '127.0.0.1', port: 0, isShared: true });
    await new Promise((resolve) => probe.close(resolve));
    return true;
  } catch {
    return false;
  }
}
