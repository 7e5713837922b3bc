/** Comparing the address that a browser uses with the configured one. */

interface AddressFinding {
  /** Whether the browser uses another address than the configured one. */
  differs: boolean;
  /** Whether the configured address is encrypted and the browser's is not: the browser would not send the cookie. */
  losesCookie: boolean;
  /** Whether secrets would be sent unencrypted over a network. */
  isPlain: boolean;
}

/** Compares the address that the browser sees with the configured one. */
export function compareAddresses(seen: string, configured: string): AddressFinding {
  const [here, there] = [new URL(seen), new URL(configured)];
  const differs = here.origin !== there.origin || withSlash(here.pathname) !== withSlash(there.pathname);
  const isLocal = /^((.+\.)?localhost|127(\.\d+){3}|\[::1\])$/.test(there.hostname);
  return {
    differs,
    losesCookie: there.protocol === 'https:' && here.protocol === 'http:',
    isPlain: there.protocol === 'http:' && !isLocal,
  };
}

function withSlash(path: string): string {
  return path.endsWith('/') ? path : `${path}/`;
}
