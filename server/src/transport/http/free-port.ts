/** Selects a free port in advance, since tokens contain the address, which must be known before the service is created. */
import { type AddressInfo, createServer } from 'node:net';

/** A port of this host that is free now. */
export function freePort(host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, host, () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}
