/** A client of server-sent events for tests, which reads what is sent literally. */
import assert from 'node:assert/strict';

/** One event; `data` is parsed JSON. */
export interface SentEvent {
  event: string;
  id: string;
  data: Record<string, { times: string[]; values: number[] }>;
}

/** An open stream. */
export interface TestStream {
  /** The ID that a reconnect would send. */
  readonly lastId: string;
  /** The next event; null at the end of the stream. */
  next(): Promise<SentEvent | null>;
  /** So many events. */
  take(count: number): Promise<SentEvent[]>;
  /** Disconnects. */
  leave(): void;
}

/** Opens a stream; fails unless it is answered 200. `lastId` is empty until the first ID has come. */
export async function openStream(url: string, headers: Record<string, string>): Promise<TestStream> {
  const away = new AbortController();
  const response = await fetch(url, { headers, signal: away.signal });
  assert.equal(response.status, 200, response.ok ? '' : await response.text());
  assert.equal(response.headers.get('content-type'), 'text/event-stream');
  const chunks = (response.body ?? assert.fail('no body')).pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  let lastId = '';
  const block = async (): Promise<string | null> => {
    while (!text.includes('\n\n')) {
      const { done, value } = await chunks.read();
      if (done) return null;
      text += value;
    }
    const end = text.indexOf('\n\n');
    const found = text.slice(0, end);
    text = text.slice(end + 2);
    return found;
  };
  const next = async (): Promise<SentEvent | null> => {
    for (;;) {
      const found = await block();
      if (found === null) return null;
      const fields = new Map(found.split('\n').map((line) => line.split(/: (.*)/s, 2) as [string, string]));
      lastId = fields.get('id') ?? lastId;
      const data = fields.get('data');
      if (data !== undefined)
        return { event: fields.get('event') ?? 'message', id: lastId, data: JSON.parse(data) };
      if (fields.has('retry')) assert.equal(fields.get('retry'), '1000');
    }
  };
  const take = async (count: number): Promise<SentEvent[]> => {
    const events: SentEvent[] = [];
    while (events.length < count) events.push((await next()) ?? assert.fail('the stream has ended'));
    return events;
  };
  return {
    get lastId() {
      return lastId;
    },
    next,
    take,
    leave: () => away.abort(),
  };
}
