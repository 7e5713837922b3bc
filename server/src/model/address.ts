/** Addresses of clients and hosts: as keys for limits, and whether they are of this machine. */

/** Groups of an IPv6 address, and how many of them are its network's. */
const groupCount = 8;
const networkGroupCount = 4;

/**
 * What counts as one address: an IPv4 address, also where it is written as IPv6, or the /64 of an IPv6 address, since each
 * customer has at least 2^64 of these. Any text gives a key.
 */
export function addressKey(address: string): string {
  if (!address.includes(':')) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped !== null) return mapped[1];
  const groups = expanded(address.toLowerCase().split('%', 1)[0]);
  return groups
    .slice(0, networkGroupCount)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':');
}

/** The groups, with those that `::` leaves out. */
function expanded(address: string): string[] {
  const [before, after] = address.split('::', 2).map((part) => (part === '' ? [] : part.split(':')));
  if (after === undefined) return before;
  // A trailing IPv4 address counts as two groups.
  const written = before.length + after.length + (after.at(-1)?.includes('.') ? 1 : 0);
  return [...before, ...Array<string>(Math.max(0, groupCount - written)).fill('0'), ...after];
}

const loopback = /^(?:localhost|::1|127(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3})$/;

/** Whether only processes of this machine can reach a host; an IPv6 address may be in brackets. */
export function isLoopback(host: string): boolean {
  return loopback.test(host.replace(/^\[|\]$/g, '').replace(/^::ffff:/, ''));
}
