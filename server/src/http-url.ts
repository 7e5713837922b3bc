/** The address of a listening socket as clients write it. */

/** The address of a bound host and port; a host that means all interfaces becomes localhost. */
export function httpUrl(host: string, port: number, scheme: 'http' | 'https' = 'http'): string {
  const name = host === '0.0.0.0' || host === '::' || host === '' ? 'localhost' : host;
  return new URL(`${scheme}://${name.includes(':') ? `[${name}]` : name}:${port}`).origin;
}
