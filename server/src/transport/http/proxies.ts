/** Determines the client of a request from X-Forwarded-For and X-Forwarded-Proto of trusted proxies. */
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import type { TLSSocket } from 'node:tls';

/** The client of a request. */
export interface ClientPlace {
  address: string;
  /** Whether the client uses TLS. */
  isSecure: boolean;
}

/** Names of networks that a setting may use instead of their addresses. */
const named: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

/** The proxies that are trusted. */
export class TrustedProxies {
  readonly #list = new BlockList();
  readonly #isNone: boolean;

  /** Addresses, networks such as `10.0.0.0/8`, or names of networks. */
  constructor(networks: readonly string[]) {
    this.#isNone = networks.length === 0;
    for (const network of networks.flatMap((entry) => named[entry] ?? [entry])) {
      const [address, bits] = network.split('/');
      const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
      if (bits === undefined) this.#list.addAddress(address, family);
      else this.#list.addSubnet(address, Number(bits), family);
    }
  }

  /** Whether a peer is a trusted proxy. */
  has(address: string): boolean {
    if (this.#isNone) return false;
    const family = isIP(address);
    return family !== 0 && this.#list.check(address, family === 6 ? 'ipv6' : 'ipv4');
  }

  /** The nearest address that is not a trusted proxy, and whether its proxy reports TLS. */
  clientOf({ socket, headers }: IncomingMessage): ClientPlace {
    const peer = socket.remoteAddress ?? '';
    const isSecure = (socket as TLSSocket).encrypted === true;
    if (!this.has(peer)) return { address: peer, isSecure };
    const way = entriesOf(headers['x-forwarded-for']).reverse();
    const address = way.find((hop) => !this.has(hop)) ?? way.at(-1) ?? peer;
    const scheme = entriesOf(headers['x-forwarded-proto']).at(-1);
    return { address, isSecure: scheme === undefined ? isSecure : scheme === 'https' };
  }
}

function entriesOf(header: string | string[] | undefined): string[] {
  const text = Array.isArray(header) ? header.join(',') : (header ?? '');
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}
