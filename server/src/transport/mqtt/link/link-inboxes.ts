/** The messages of one session, each for the integration that its topic names: the broker has checked that it comes from there (M6). */
import type { Caller } from '#model/caller';
import { AppError } from '#model/error';
import type { IntegrationCallers } from '#protocol/authenticator';
import type { Fault } from '#protocol/fault';
import { Inbox, type InboxOptions } from '../inbox.ts';
import type { Sender } from '../message-calls.ts';
import type { LinkReceiver } from './link-session.ts';

/** What all sessions share. */
export interface LinkInboxesOptions extends Omit<InboxOptions, 'weigh'> {
  authenticator: IntegrationCallers;
  /** The address of the broker. */
  address(): string;
  /** A message has been dealt with. */
  onDone(sender: Sender | null, topic: string, fault: Fault | null): void;
}

interface Known {
  sender: Sender;
  inbox: Inbox;
  underWay: number;
}

/** The inboxes of one session, one for each integration that has messages under way. */
export class LinkInboxes implements LinkReceiver {
  readonly #options: LinkInboxesOptions;
  #inboxes = new Map<string, Known>();

  constructor(options: LinkInboxesOptions) {
    this.#options = options;
  }

  reset(): void {
    this.#inboxes = new Map();
  }

  async receive(topic: string, payload: Buffer): Promise<void> {
    const caller = await this.#callerOf(topic);
    if (caller === null || caller instanceof AppError) return this.#reject(topic, caller);
    const known = this.#knownOf(caller);
    known.underWay++;
    try {
      const fault = await known.inbox.receive(topic, payload);
      this.#options.onDone(known.sender, topic, fault);
    } finally {
      if (--known.underWay === 0 && this.#inboxes.get(caller.integration) === known)
        this.#inboxes.delete(caller.integration);
    }
  }

  async refuse(topic: string, error: AppError): Promise<void> {
    const caller = await this.#callerOf(topic);
    await this.#reject(topic, caller === null || caller instanceof AppError ? caller : error);
  }

  #knownOf(caller: Caller): Known {
    const known = this.#inboxes.getOrInsertComputed(caller.integration, () => {
      const sender = { caller, address: this.#options.address() };
      const inbox = new Inbox(sender, { ...this.#options, weigh: () => {} });
      return { sender, inbox, underWay: 0 };
    });
    known.sender.caller = caller;
    return known;
  }

  /** Of an integration that does not exist nothing can be recorded. */
  async #reject(topic: string, error: AppError | null): Promise<void> {
    if (error === null) return this.#options.onDone(null, topic, null);
    const caller: Caller = { integration: integrationOf(topic), credential: '', grants: new Set() };
    const sender = { caller, address: this.#options.address() };
    this.#options.onDone(sender, topic, await this.#options.calls.refuse(error, sender));
  }

  /** Null: there is no such integration; or why it may not do anything. */
  async #callerOf(topic: string): Promise<Caller | AppError | null> {
    try {
      return await this.#options.authenticator.callerOfIntegration(integrationOf(topic));
    } catch (error) {
      if (error instanceof AppError && error.kind === 'unauthenticated') return error;
      throw error;
    }
  }
}

function integrationOf(topic: string): string {
  return topic.slice(0, Math.max(0, topic.indexOf('/')));
}
