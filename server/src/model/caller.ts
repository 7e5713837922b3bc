/** Who makes a call. */

/** A portion of the API that an integration may invoke (A5). `integration` is always granted. */
export type Grant = 'integration' | 'admin' | 'service';

/** Every grant, in the order in which a token's scope lists them (A2). */
export const grantsAll: readonly Grant[] = ['integration', 'admin', 'service'];

/** An authenticated integration, as transport hands it to every method. */
export interface Caller {
  /** The integration's ID (R1). */
  integration: string;
  /** The credential that proved it. */
  credential: string;
  /** The namespaces it may use now. */
  grants: ReadonlySet<Grant>;
}
