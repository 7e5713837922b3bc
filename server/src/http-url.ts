/** The address of a listening socket as clients write it, and who can reach it. */
import { isIP } from 'node:net';

/** The address of a bound host and port; a host that means all interfaces becomes localhost. */
export function httpUrl(host: string, port: number, scheme: 'http' | 'https' = 'http'): string {
  const name = host === '0.0.0.0' || host === '::' || host === '' ? 'localhost' : host;
  return new URL(`${scheme}://${name.includes(':') ? `[${name}]` : name}:${port}`).origin;
}

/** Whether only processes of this machine can reach a host; an IPv6 address may be in brackets. */
export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, '');
  return name === 'localhost' || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'));
}
