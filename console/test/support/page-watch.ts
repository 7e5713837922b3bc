/** What a page shows and waits for when a test fails: a time-out alone does not say why what was waited for did not come. */
import type { Page, Request } from 'playwright-core';

/** Of what the page shows, in lines of Playwright's snapshot. */
const linesMax = 80;
/** How long a page may take to tell, ms: its thread may be busy, or its process gone. */
const tellMsMax = 5000;
/** The same on every page. */
const navigation = /^- navigation "Pages":\n(?: .*\n)*/m;
/** What the page writes to its console begins with this when a press has missed its element. */
const missed = 'a press began on one element and ended on another: ';

/** Watches a page from its beginning. */
export class PageWatch {
  readonly #page: Page;
  /** Requests without an answer, and when they were sent. */
  readonly #open = new Map<Request, number>();
  readonly #missed: string[] = [];

  private constructor(page: Page) {
    this.#page = page;
    page.on('request', (request) => this.#open.set(request, Date.now()));
    page.on('response', (response) => this.#open.delete(response.request()));
    page.on('requestfailed', (request) => this.#open.delete(request));
    page.on('console', (message) => {
      if (message.text().startsWith(missed)) this.#missed.push(message.text());
    });
  }

  /** Begins to watch a page in which nothing is loaded yet. */
  static async begin(page: Page): Promise<PageWatch> {
    await page.addInitScript(notePresses, missed);
    return new PageWatch(page);
  }

  /** The address, requests without an answer, presses that an element did not get, and what is shown: headings, dialogs, all. */
  async tell(): Promise<string> {
    const nowMs = Date.now();
    const waiting = [...this.#open].map(
      ([request, sentMs]) =>
        `no answer for ${nowMs - sentMs} ms: ${request.method()} ${request.url()} ${(request.postData() ?? '').slice(0, 200)}`,
    );
    const shown = await this.#page
      .ariaSnapshot({ timeout: tellMsMax })
      .catch((error: Error) => `it does not tell what it shows: ${error.message}`);
    return [
      `the page ${this.#page.url()}`,
      ...waiting,
      ...this.#missed,
      ...shown.replace(navigation, '').split('\n').slice(0, linesMax),
    ].join('\n  ');
  }
}

/** Runs in the page. An element that moves away under a press gets no click, and nobody sees why. */
function notePresses(words: string): void {
  let began: { at: PointerEvent; element: Element } | null = null;
  const isMoved = ({ clientX, clientY }: PointerEvent, at: PointerEvent) =>
    Math.hypot(clientX - at.clientX, clientY - at.clientY) > 3;
  const elementAt = (event: PointerEvent) => document.elementFromPoint(event.clientX, event.clientY);
  const print = (element: Element | null) => element?.outerHTML.slice(0, 150) ?? 'nothing';
  const onDown = (at: PointerEvent) => {
    const element = elementAt(at);
    began = element && { at, element };
  };
  const onUp = (event: PointerEvent) => {
    if (began === null || isMoved(event, began.at)) return;
    const ended = elementAt(event);
    // Under a menu, which opens when a press begins, everything else is inert.
    if (ended === began.element || began.element.closest('[inert]') !== null) return;
    console.debug(`${words}${print(began.element)} … ${print(ended)}`);
  };
  addEventListener('pointerdown', onDown, true);
  addEventListener('pointerup', onUp, true);
}
