/** Reads server-sent events (the HTML standard, section 9.2.6) from an answer. */

/** One event; `data` is empty when only the place has moved. */
export interface StreamedEvent {
  event: string;
  /** The last ID of the stream. */
  id: string;
  data: string;
}

/** The events of an answer; `onBytes` is called whenever something has come. An event that breaks off is none. */
export async function* readEvents(
  response: Response,
  onBytes: () => void,
): AsyncGenerator<StreamedEvent, void, undefined> {
  const reader = response.body?.getReader();
  if (reader === undefined) return;
  const decoder = new TextDecoder();
  let text = '';
  let id = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      onBytes();
      text += decoder.decode(value, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const event = eventOf(block, id);
        id = event.id;
        yield event;
      }
    }
  } finally {
    // An answer that is not read to its end keeps its connection.
    reader.cancel().catch(() => {});
  }
}

function eventOf(block: string, lastId: string): StreamedEvent {
  const found = { event: 'message', id: lastId, data: '' };
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'id') found.id = value;
    else if (field === 'event') found.event = value;
    else if (field === 'data') found.data += found.data === '' ? value : `\n${value}`;
  }
  return found;
}
