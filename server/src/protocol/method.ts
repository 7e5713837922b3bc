/** INTERFACE: the definition of an operation. Files in methods/ define them; protocol/rpc.ts calls them. */
import type { Static, TObject, TSchema } from 'typebox';
import type { ReadMemory } from '#load/read-memory';
import type { CallKind, Ticket } from '#load/ticket';
import type { Caller, Grant, Role } from '#model/caller';
import type { ProblemList } from '#model/problem-list';
import type { RateStatus } from '#model/rate-status';
import type { Version } from './version.ts';

/** The context of a call. */
export interface Call {
  caller: Caller;
  /** Where the call came from: an IP address, as far as proxies are trusted. */
  address: string;
  version: Version;
  /** 32 hex digits, for logs and errors (W7). */
  traceId: string;
  /** Aborted when the client has disconnected, the time limit is reached, or the call is cancelled. Made when it is first asked for. */
  readonly signal: AbortSignal;
  /** Set while the call can be cancelled by others than its client. */
  cancellation?: Cancellation;
  /** Of the request that the call came in. */
  ticket: Ticket;
  /** The memory budget for reads of this call. */
  memory?: ReadMemory;
  /** Whether a frame is answered as an Arrow stream, except in a batch (W5e). */
  wantsArrow?: boolean;
  /** The plan of a read, for the log of slow calls; contains no payload. Made when it is asked for: most calls are not slow. */
  plan?: () => Readonly<Record<string, unknown>>;
  /** The caller's rate status for the method, if it has a rate; in a batch the one with the least remaining. */
  rate?: RateStatus;
}

/** Ends a call, but not its request. */
export interface Cancellation {
  /** The signal of the call whose request has the signal `request`; always the same. */
  under(request: AbortSignal): AbortSignal;
}

/** An operation in the versions in which it has one shape (W9). */
export interface MethodDefinition<P extends TObject, R extends TSchema> {
  /** With the primary namespace, for example `service.evaluate`. */
  name: string;
  /** Other names of the same operation. */
  synonyms?: readonly string[];
  versions: readonly Version[];
  /** The grant of the namespace; null: any authenticated caller. */
  grant: Grant | null;
  /** The minimum role of a person who may call it; default `admin`. Integrations have no role. */
  role?: Role;
  /** The kind of load, which determines the lane in which it runs; default `change`. */
  load?: CallKind;
  /** One line for the OpenRPC document. */
  summary: string;
  /**
   * Property order is the order of positional parameters (W4). A property with a `default` may be left out or null, and is
   * then there when `run` is called: give it no `Type.Optional`. Large arrays go through `describedOnly` (schema.ts).
   */
  params: P;
  /** Other names of a parameter → its name. */
  paramSynonyms?: Readonly<Record<string, string>>;
  /** Unknown parameters that are refused also in the versions that ignore unknown ones: an ignored filter answers another question (W10). */
  refusedParams?: readonly string[];
  /**
   * Whether the parameter `data` is a data frame that may come as columns: `data.series` is then an instance of `Columns`,
   * where it is plain, and else what JSON.parse made of it.
   */
  takesColumns?: boolean;
  /**
   * Whether `run` begins with the problems that it is given, and throws if there are any before it reads or writes. A call whose
   * parameters are wrong by name or type is then run without these, so that all faults are reported together (E2).
   */
  checksFirst?: boolean;
  result: R;
  /**
   * Frames in the result are `Frame` instances; protocol writes them. One may be the result, a member of it, or an entry
   * of an array that is a member of it; nowhere deeper.
   */
  run(call: Call, params: Static<P>, problems: ProblemList): Promise<unknown>;
}

/** A {@link MethodDefinition} without its type parameters, as a router stores it. */
export interface Method extends Omit<MethodDefinition<TObject, TSchema>, 'run'> {
  run(call: Call, params: unknown, problems: ProblemList): Promise<unknown>;
}

/** Checks a definition's types and erases its type parameters. */
export function defineMethod<P extends TObject, R extends TSchema>(
  definition: MethodDefinition<P, R>,
): Method {
  return definition as unknown as Method;
}
