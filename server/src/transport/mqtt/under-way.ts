/**
 * How many messages of one integration are under way, over all its connections: while there are too many, none of them is read.
 * Messages that wait live long, so the garbage collector would copy them again and again, and a frame of all of them would be wide.
 */

/** Messages under way of one integration; a message that is a call counts for several. */
export const messagesMax = 500;

interface Count {
  messages: number;
  connections: number;
  /** Connections that read on when there is room, those first that have waited longest. */
  waiting: Set<MessageShare>;
}

/** The counts of all integrations that have connections. */
export class MessagesUnderWay {
  readonly #counts = new Map<string, Count>();

  /** The part of one connection of an integration, until it leaves. `goOn` is called when there is room again. */
  join(integration: string, goOn: () => void): MessageShare {
    const count = this.#counts.getOrInsertComputed(integration, newCount);
    count.connections++;
    return new MessageShare(count, goOn, () => {
      if (--count.connections === 0) this.#counts.delete(integration);
    });
  }
}

/** What one connection has under way. */
export class MessageShare {
  readonly #count: Count;
  readonly #onLeft: () => void;
  readonly goOn: () => void;
  #own = 0;

  constructor(count: Count, goOn: () => void, onLeft: () => void) {
    this.#count = count;
    this.goOn = goOn;
    this.#onLeft = onLeft;
  }

  /** Whether nothing may be read now; then `goOn` will be called. */
  mustWait(): boolean {
    const isFull = this.#count.messages >= messagesMax;
    if (isFull) this.#count.waiting.add(this);
    return isFull;
  }

  /** So many messages more are under way, or fewer. When half of them are done, all connections read on, so that they take turns. */
  add(change: number): void {
    this.#own += change;
    this.#count.messages += change;
    const { messages, waiting } = this.#count;
    if (waiting.size === 0 || messages > messagesMax / 2) return;
    this.#count.waiting = new Set();
    for (const share of waiting) share.goOn();
  }

  /** The connection has ended, with what it has under way. */
  leave(): void {
    this.#count.waiting.delete(this);
    this.add(-this.#own);
    this.#onLeft();
  }
}

function newCount(): Count {
  return { messages: 0, connections: 0, waiting: new Set() };
}
