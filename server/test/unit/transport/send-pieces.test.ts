/** The memory of pieces that were sent. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { Frame } from '#model/frame';
import { type Answer, FrameStream, successAnswer } from '#protocol/answer';
import { JsonText } from '#protocol/json-text';
import { newEncoder } from '#transport/http/encoding';
import { beginAnswer, type Pieces, sendPieces } from '#transport/http/send-pieces';
import { newTicket } from '../../support/load.ts';

const none: Pieces = (async function* () {})();

/** Sends an answer, compressed or not; what arrived, and its pieces. */
async function sent(answer: Answer, isCompressed: boolean): Promise<{ text: Buffer; pieces: Buffer[] }> {
  const pieces: Buffer[] = [];
  const server = createServer(async (_, response) => {
    const ticket = newTicket();
    const { pieces: first, rest } = await beginAnswer(answer, ticket);
    const seen = (async function* () {
      for await (const piece of rest ?? none) {
        if (typeof piece !== 'string') pieces.push(piece);
        yield piece;
      }
    })();
    pieces.push(...first.filter((piece) => typeof piece !== 'string'));
    const encoder = isCompressed ? newEncoder('gzip') : null;
    if (isCompressed) response.setHeader('content-encoding', 'gzip');
    const hold = ticket.hold('answer');
    await hold.take(first.reduce((sum, { length }) => sum + length, 0));
    await sendPieces(first, seen, { encoder, response, ticket, hold, stallMsMax: 10_000, areOwn: false });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const answered = await fetch(`http://127.0.0.1:${port}`, { signal: AbortSignal.timeout(10_000) });
    return { text: Buffer.from(await answered.arrayBuffer()), pieces };
  } finally {
    server.close();
  }
}

function bigFrame(): Frame {
  const column = () => Float64Array.from({ length: 60_000 }, (_, row) => row / 7);
  return new Frame(column(), new Map([['a', column()]]), true);
}

test('E3b the memory of a frame that was sent is freed, and that of what was printed before is not', async () => {
  const kept = new JsonText(Buffer.from(JSON.stringify('x'.repeat(300_000))));
  for (const isCompressed of [false, true]) {
    const { text, pieces } = await sent(successAnswer('1', { data: bigFrame(), kept }), isCompressed);
    const { result } = JSON.parse(text.toString());
    assert.equal(result.data.series.a[59_999], 59_999 / 7);
    assert.equal(result.kept.length, 300_000);
    const left = pieces.filter(({ length }) => length > 0);
    assert.ok(left.length === 1 && left[0] === kept.text, `${left.length} pieces are left`);
    assert.ok(pieces.length > 5, `${pieces.length} pieces`);

    const stream = FrameStream.of({ data: bigFrame() });
    assert.ok(stream);
    const arrow = await sent(stream, isCompressed);
    if (isCompressed) assert.ok(arrow.text.length > 60_000 * 16);
    assert.deepEqual(
      arrow.pieces.map(({ length }) => length),
      Array(Math.ceil(arrow.text.length / (128 * 1024))).fill(0),
    );
  }
});
