/** What a user could pick instead, as the benchmark sees it: how to start it, feed it, ask it, and read its answers. */
import type { ChildProcess } from 'node:child_process';

/** A series of points as it is sent to a peer: `number` names it, `set` groups it. */
export interface PeerSeries {
  number: number;
  set: string;
  values: ArrayLike<number>;
}

/** Rows × series: what one request inserts. */
export interface PeerFrame {
  timesUs: Float64Array;
  series: PeerSeries[];
}

/** The questions that are put to peers; keys of {@link RunningPeer.questions}. */
export type Ask = 'raw' | 'hours' | 'window' | 'minutes' | 'berlin' | 'formula' | 'label';

/** One question in a peer's own words. */
export interface PeerQuestion {
  request: Buffer;
  /** The numbers that are compared with the generator, out of a parsed answer. */
  read(body: Buffer): number[];
}

/** A peer that runs. */
export interface RunningPeer {
  url: URL;
  process: ChildProcess;
  /** The request that inserts a frame. */
  insert(frame: PeerFrame): Buffer;
  /** Saves signals with a label `group`, where the peer keeps such a thing apart from points. */
  label(groups: ReadonlyMap<number, string>): Promise<void>;
  /** Everything inserted can be read, and background work is done as far as it can be asked for. */
  settle(): Promise<void>;
  /** Bytes of all points, where its directory also holds what it has replaced and will remove later. */
  storedBytes?(): Promise<number>;
  /** What it cannot do is not there. */
  questions: Partial<Record<Ask, PeerQuestion>>;
}

/** Something to compare with. */
export interface Peer {
  name: string;
  /** The line that installs it. */
  install: string;
  /** A remark about its figures. */
  note: string;
  isInstalled(): boolean;
  /** Starts it with its data in this directory, listening on 127.0.0.1 only. */
  start(directory: string): Promise<RunningPeer>;
}

/** The numbers of the signals of the two sets, and of the labelled ones. */
export const minuteSignal = (k: number): number => 1 + k;
/** See {@link minuteSignal}. */
export const secondSignal = (k: number): number => 101 + k;
/** See {@link minuteSignal}. */
export const labelSignal = (k: number): number => 100_001 + k;

/** The group that is asked for, and its size. */
export const askedGroup = 'g100';

/** A request to a path, as bytes. */
export function requestBytes(url: URL, path: string, body: Uint8Array | string = ''): Buffer {
  const bytes = Buffer.from(body as string);
  const head = `POST ${path} HTTP/1.1\r\nHost: ${url.host}\r\nContent-Length: ${bytes.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), bytes]);
}

/** POSTs and gives the text of the answer; throws when it is refused. */
export async function post(url: URL, path: string, body: Uint8Array | string = ''): Promise<string> {
  const response = await fetch(new URL(path, url), { method: 'POST', body: Buffer.from(body as string) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
  return text;
}
