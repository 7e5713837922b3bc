/** What a check of a database server found, for the operator. */

/** One finding about one server. */
export interface StoreFinding {
  /** Which server: its kind, host and port, without a password. */
  place: string;
  /** A problem keeps the service from starting or working. */
  kind: 'good' | 'note' | 'problem';
  text: string;
  /** The statements that mend it, if there are any. */
  sql: readonly string[];
}

/** Clocks that differ by more than this are a problem: rules about time would depend on who applies them. */
const clockMsMax = 10_000;

/** What the clock of a server says about it and this machine; `atMs` is the time of this machine when the server read its own. */
export function clockFinding(place: string, serverMs: number, atMs: number): StoreFinding {
  const apartMs = Math.abs(serverMs - atMs);
  const seconds = `${(apartMs / 1000).toFixed(1)} s`;
  if (apartMs <= clockMsMax)
    return { place, kind: 'good', text: `its clock and this machine's differ by ${seconds}`, sql: [] };
  return {
    place,
    kind: 'problem',
    text: `its clock is ${seconds} ${serverMs > atMs ? 'ahead of' : 'behind'} that of this machine: synchronise the clocks of all machines, for example with chrony`,
    sql: [],
  };
}
