/** Sessions of the message broker that outlast their connections (M3c). */

/** A subscription and its quality of service. */
export interface StoredFilter {
  topic: string;
  qos: number;
}

/** One session. */
export interface BrokerSession {
  /** INTEGRATION/CLIENT-ID. */
  id: string;
  integration: string;
  /** The broker that has it: each process has another one. */
  owner: string;
  filters: readonly StoredFilter[];
  /** The place in the sequence of inserts up to which the client has live values; null: it has subscribed to none. */
  place: string | null;
  /** Since when it has no connection; null: it has one. */
  leftAtMs: number | null;
}

/** Messages that wait for the client of a session. */
export interface QueuedMessages {
  session: string;
  /** The number of the last of them; numbers grow by one with each message of a session. */
  lastSeq: number;
  count: number;
  /** Of topics and payloads. */
  bytes: number;
  /** As text; the broker knows its form. */
  messages: string;
}

/** What waits for a session, in numbers. */
export type QueueSum = Omit<QueuedMessages, 'messages'>;
