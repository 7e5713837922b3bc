/** Files of other encodings, compressed files, and lines before the first row. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import { type Encoding, TextFileDecoder } from '#cli/csv/decode';
import { readPreamble } from '#cli/csv/preamble';
import { CsvReader } from '#cli/csv/reader';
import { CommandError } from '#cli/usage';
import { temporaryDirectory } from '../../support/directory.ts';
import { SeededRandom } from '../../support/world.ts';

async function read(t: TestContext, content: Buffer | string, encoding: Encoding | null = null) {
  const directory = await temporaryDirectory(t);
  const path = join(directory, 'x.csv');
  await writeFile(path, content);
  const reader = await CsvReader.open(path, encoding);
  t.after(() => reader[Symbol.dispose]());
  const rows: string[][] = [];
  const lines: number[] = [];
  for await (const found of reader.rows(',')) {
    rows.push(...found.map(({ fields }) => fields));
    lines.push(...found.map(({ line }) => line));
  }
  return { rows, lines, reader };
}

const text = 'time,Temp °C\r\n2024-01-31,1\r\n';
const rows = [
  ['time', 'Temp °C'],
  ['2024-01-31', '1'],
];
const utf16be = Buffer.from(`\ufeff${text}`, 'utf16le').swap16();

const contents: [string, Buffer, Encoding | null][] = [
  ['UTF-8', Buffer.from(text), 'utf-8'],
  ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${text}`), 'utf-8'],
  ['UTF-16', Buffer.from(`\ufeff${text}`, 'utf16le'), 'utf-16le'],
  ['UTF-16 without a byte order mark', Buffer.from(text, 'utf16le'), 'utf-16le'],
  ['UTF-16 of the other byte order', utf16be, 'utf-16be'],
  ['Latin-1', Buffer.from(text, 'latin1'), 'windows-1252'],
  ['gzip', gzipSync(text), 'utf-8'],
  ['zstd', zstdCompressSync(text), 'utf-8'],
];

for (const [name, content, encoding] of contents) {
  test(`R9 import reads a file that is ${name}`, async (t) => {
    const outcome = await read(t, content);
    assert.deepEqual(outcome.rows, rows);
    assert.equal(outcome.reader.encoding, encoding);
  });
}

test('R9 bytes that are not of the encoding end the import, they are not replaced', async (t) => {
  const late = Buffer.concat([
    Buffer.from(`time,é\n${'2024-01-31,1\n'.repeat(20_000)}`),
    Buffer.from('x\xb0,1\n', 'latin1'),
  ]);
  await assert.rejects(
    read(t, late),
    (error) => error instanceof CommandError && /not valid utf-8 text, .*--encoding/.test(error.message),
  );
  await assert.rejects(read(t, Buffer.from(text, 'latin1'), 'utf-8'), /not valid utf-8 text/);
});

test('R9 the encoding is decided where the text stops being ASCII', () => {
  const decoder = new TextFileDecoder(null);
  assert.equal(decoder.decode(Buffer.from('abc')), 'abc');
  assert.equal(decoder.encoding, null);
  assert.equal(decoder.decode(Buffer.from([0xb0, 0x43])), '°C');
  assert.equal(decoder.encoding, 'windows-1252');
});

test('R9 a character may lie in two pieces', () => {
  const decoder = new TextFileDecoder(null);
  const [first, second] = Buffer.from('é');
  assert.equal(
    decoder.decode(Buffer.from([0x41, first])) + decoder.decode(Buffer.from([second])) + decoder.end(),
    'Aé',
  );
});

test('R9 damaged gzip data are an error that says so', async (t) => {
  const whole = gzipSync(text.repeat(1000));
  await assert.rejects(
    read(t, whole.subarray(0, 60)),
    (error) => error instanceof CommandError && /not valid gzip data/.test(error.message),
  );
});

test('R9 import skips comments and takes the separator that Excel names; line numbers stay those of the file', async (t) => {
  assert.deepEqual(readPreamble('sep=;\r\ntime;a\r\n'), {
    length: 7,
    lines: 1,
    separator: ';',
    lastComment: null,
  });
  const outcome = await read(t, '# made by a logger\n\n# "time\ntime,a\n# later\n2024-01-31,1\n');
  assert.deepEqual(outcome.rows, [
    ['time', 'a'],
    ['2024-01-31', '1'],
  ]);
  assert.deepEqual(outcome.lines, [4, 6]);
  assert.equal(outcome.reader.preamble.lastComment, '"time');
});

test('R9 a column named # is no comment', () => {
  assert.equal(readPreamble('#,time,a\n1,2024-01-31,2\n').length, 0);
});

test('R9 rows that are split at once, and those that a parser reads behind them, are as a parser reads the whole', async (t) => {
  const random = new SeededRandom(7);
  for (const ending of ['\n', '\r\n']) {
    // Longer than a piece of the file, so that the first piece has no quote.
    const plain = Array.from({ length: 12_000 }, (_, i) => `${i},x${i % 7},${i % 50 === 0 ? '' : i}`).join(
      ending,
    );
    for (let round = 0; round < 12; round++) {
      const pieces = ['a', ',', ending, ending, '"b"', `"c,${ending}d"`, ' ', '\r', '\n'];
      const tail = Array.from(random.bytes(60), (byte) => pieces[byte % (round % 2 === 0 ? 9 : 7)]).join('');
      const content = `a,b,c${ending}${round % 3 === 0 ? '' : plain + ending}${tail}`;
      const found = await read(t, content);
      const lines: number[] = [];
      const expected = parse(content, {
        ...{ relax_column_count: true, relax_quotes: true, skip_empty_lines: true },
        on_record: (fields: string[], info) => {
          lines.push(info.lines);
          return fields;
        },
      });
      assert.equal(JSON.stringify(found.rows), JSON.stringify(expected));
      assert.equal(found.lines.join(), lines.join());
    }
  }
});
