/** What ends work early. Making a signal and listening to it takes microseconds, which work that is done at once need not spend. */

/** A signal, or how to get it when there is something to wait for. */
export type Ending = AbortSignal | (() => AbortSignal);

/** The signal itself. */
export function signalOf(ending: Ending | undefined): AbortSignal | undefined {
  return typeof ending === 'function' ? ending() : ending;
}
