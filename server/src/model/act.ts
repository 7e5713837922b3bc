/** The actor of an administrative change and where it came from, as the audit log records them. */

/** An actor and the origin of its request. */
export interface Act {
  /**
   * `integration:<integration ID>/<credential ID>` for a call, `person:<ID>` for a user of the console, `cli:<user of the operating system>` for a command,
   * `service` for the service's own background work.
   */
  actor: string;
  /** The address that the call came from; `cli` for a command, `service` for the service. */
  origin: string;
}

/** The service's own background work. */
export const serviceAct: Act = Object.freeze({ actor: 'service', origin: 'service' });
