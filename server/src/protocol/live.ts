/** The interface through which transports send live values; implemented by methods/live.ts over domain/live. */
import type { Ticket } from '#load/ticket';
import type { Caller } from '#model/caller';
import type { Points } from '#model/frame';

/** What one durable insert brought of the watched items. */
export interface LiveInsert {
  /** From which a later stream continues. */
  position: string;
  /** Item → its points, times ascending; they must not be changed. */
  points: ReadonlyMap<string, Points>;
}

/** What comes next: inserts in their order; or a reset: some may have been missed, and it goes on from `position`. */
export type LiveStep =
  | { kind: 'events'; events: readonly LiveInsert[] }
  | { kind: 'reset'; position: string };

/** A watch of items, which waits in memory that is bounded. */
export interface LiveStream {
  /** Where it has come to, if there is nothing to take. */
  readonly place: string;
  readonly hasNews: boolean;
  /** Waits; null when the stream has ended, or `signal` was aborted. */
  next(signal?: AbortSignal): Promise<LiveStep | null>;
  close(): void;
}

/** What a client asks for, as it was sent; nothing in it is checked yet. */
export interface LiveRequest {
  /** IDs of items; null: none are named. */
  items: readonly string[] | null;
  /** A resource query as JSON gives it, instead of IDs; undefined: there is none. */
  query: unknown;
  /** The position after which to continue; null: from now on. */
  after: string | null;
}

/** Begins streams. */
export interface LiveSource {
  /** The name by which rates and metrics know a stream. */
  readonly method: string;
  /** Whether a caller may have streams (A5). */
  mayWatch(caller: Caller): boolean;
  /** Fails with `invalid-params` by the names of {@link LiveRequest}; `Overload` when there are too many streams. */
  open(caller: Caller, request: LiveRequest, ticket: Ticket, signal: AbortSignal): Promise<LiveStream>;
}
