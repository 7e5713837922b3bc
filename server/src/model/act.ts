/** Who changes something, and from where: what the audit says of every administrative act. */

/** One who acts. */
export interface Act {
  /**
   * `integration:<integration ID>/<credential ID>` for a call, `person:<ID>` for somebody at the console, `cli:<user of the operating system>` for a command,
   * `service` for what the service does by itself.
   */
  actor: string;
  /** The address that the call came from; `cli` for a command, `service` for the service. */
  origin: string;
}

/** The service, where nobody asked for it. */
export const serviceAct: Act = Object.freeze({ actor: 'service', origin: 'service' });
