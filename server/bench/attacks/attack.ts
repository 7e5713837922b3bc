/** What an attack is, and the requests that attacks are made of. */

/** Where an attack goes, and from where. */
export interface AttackTarget {
  host: string;
  port: number;
  /** Of the broker. */
  mqttPort: number;
  /** Of an integration that may do everything, by a password. */
  authorization: string;
  /** Of a person at the console, who is an administrator: as headers of HTTP, each with its end of line. */
  session: string;
  /** The address to come from: each attacker has one of its own. */
  localAddress: string;
  /** Items that can be read. */
  items: readonly string[];
  /** Size of large bodies, before compression; default 8 MiB, which is the limit. */
  bodyBytes?: number;
}

/** What is sent over how many connections, and how each goes on. */
export interface Attack {
  connections: number;
  /** Default: http. */
  protocol?: 'http' | 'mqtt';
  /** The bytes of one round, made once. */
  request(target: AttackTarget): Buffer;
  /** What each connection begins with, such as CONNECT; the connections of an attack are numbered. */
  opening?(target: AttackTarget, index: number): Buffer;
  /** When the next round is sent: at the end of an answer, the default, as soon as the last one was taken, or never. */
  next?: 'answered' | 'taken' | 'never';
  /** Between two rounds that do not wait for an answer, ms; default 0. */
  pauseMs?: number;
  /** Nothing is read; then the request is sent once. */
  readsNothing?: true;
  /** A connection ends after this time, ms, and another one begins. */
  leavesAfterMs?: number;
  /** All connections end at once, each time that so many ms have passed. */
  endsTogetherMs?: number;
  /** Local addresses that the connections are divided among; default 1. */
  addresses?: number;
}

/** The integration of the target. */
export function integrationOf({ authorization }: AttackTarget): { id: string; secret: string } {
  const [id, secret] = Buffer.from(authorization.slice('Basic '.length), 'base64').toString().split(':');
  return { id, secret };
}

/** Size of large bodies. */
export function bodyBytesOf({ bodyBytes = 8 * 1024 * 1024 }: AttackTarget): number {
  return bodyBytes;
}

/** A GET with the credentials of the integration. */
export function get(target: AttackTarget, path: string, headers = ''): Buffer {
  return Buffer.from(
    `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${target.authorization}\r\n${headers}\r\n`,
  );
}

/** A POST; `headers` has each with its end of line. */
export function post(path: string, body: Uint8Array, headers: string): Buffer {
  const head = `POST ${path} HTTP/1.1\r\nHost: x\r\n${headers}Content-Length: ${body.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), body]);
}

/** A POST with the credentials of the integration. */
export function postAs(target: AttackTarget, path: string, body: Uint8Array, headers: string): Buffer {
  return post(path, body, `Authorization: ${target.authorization}\r\n${headers}`);
}

/** `begin` and `end` around as many `member`s as a body takes. */
export function filledBytes(
  target: AttackTarget,
  begin: string,
  member: (index: number) => string,
  end: string,
  separator = ',',
): Buffer {
  const bytes = bodyBytesOf(target);
  const members: string[] = [];
  for (let length = 0; length < bytes - begin.length - end.length - 100; ) {
    const text = member(members.length);
    members.push(text);
    length += text.length + 1;
  }
  return Buffer.from(begin + members.join(separator) + end);
}
