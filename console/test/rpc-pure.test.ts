/** The API console without a browser: documents, forms, code to copy, history. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { test } from 'node:test';
import { Script } from 'node:vm';
import { copyAs } from '../src/features/rpc/copy-as.ts';
import {
  byNamespace,
  describeSchema,
  explainError,
  fieldKind,
  initialParams,
  membersOf,
  type OpenRpc,
  readDocument,
  resolveSchema,
  versions,
} from '../src/features/rpc/document.ts';
import { forget, hasSecret, readHistory, remember } from '../src/features/rpc/history.ts';
import { printPretty } from '../src/parts/json.ts';

const documents = new Map(
  versions.map((version) => {
    const url = new URL(`../../spec/rpc/openrpc-${version}.json`, import.meta.url);
    return [version, JSON.parse(readFileSync(url, 'utf8')) as OpenRpc];
  }),
);

test('W9 every parameter of every method of every version has a field, and beginnings name what is required', () => {
  for (const [version, open] of documents) {
    const { methods, schemas } = readDocument(open);
    assert.ok(methods.length > 0);
    for (const method of methods) {
      for (const { name, schema } of method.params) {
        const whole = resolveSchema(schema, schemas);
        assert.equal(whole.$ref, undefined, `${version} ${method.name} ${name}: the reference leads nowhere`);
        assert.ok(
          ['text', 'number', 'flag', 'choice', 'scalar', 'object', 'json'].includes(fieldKind(whole)),
        );
        assert.notEqual(describeSchema(whole), '');
      }
      const required = method.params.filter(({ required }) => required).map(({ name }) => name);
      assert.deepEqual(Object.keys(initialParams(method, schemas)), required);
    }
    assert.equal(byNamespace(methods).flatMap(([, each]) => each).length, methods.length);
  }
});

test('the members of a data query are listed down to the ends of its window', () => {
  const { schemas } = readDocument(documents.get('1.2')!);
  const paths = membersOf({ $ref: '#/components/schemas/DataQuery' }, schemas).map(({ path }) => path);
  assert.ok(paths.includes('filter.times.$gte'), paths.join(' '));
  assert.ok(paths.includes('rollup'));
});

test('JSON to read has lists of plain values on one line, and says the same', () => {
  const value = { times: [1, 2, 3], deep: [{ a: [] }, {}], text: 'a "b"', none: null };
  assert.deepEqual(JSON.parse(printPretty(value)), value);
  assert.match(printPretty(value), /"times": \[1, 2, 3\],/);
});

test('of a long value the first characters are the same, and the rest is not printed', () => {
  const value = {
    data: { times: Array.from({ length: 10_000 }, (_, i) => i), series: [{ a: [1, null] }, 'b'] },
  };
  const whole = printPretty(value);
  for (const charactersMax of [0, 5, 30, 1000, whole.length]) {
    const text = printPretty(value, charactersMax);
    assert.equal(text.slice(0, charactersMax), whole.slice(0, charactersMax));
    assert.ok(text.length < charactersMax + 200, `${text.length} characters`);
  }
});

test('every error code of the documents is explained', () => {
  for (const open of documents.values()) {
    const { errors } = (open as unknown as { components: { errors: Record<string, { code: number }> } })
      .components;
    for (const { code } of Object.values(errors))
      assert.notEqual(explainError(code), explainError(1), String(code));
  }
});

const params = { query: { filter: { name: "O'Hara $(id) `x` \\" } } };
const call = { method: 'service.selectItems', params, version: '1.2', url: 'http://127.0.0.1:1/v1/rpc' };

test('a copied curl command gives the shell exactly the body, whatever is in it', () => {
  const command = copyAs('curl', [call]).replace(/^curl/, `printf '%s\\n'`);
  const printed = execFileSync('/bin/sh', ['-c', command], { encoding: 'utf8' }).trimEnd().split('\n');
  assert.deepEqual(JSON.parse(printed.at(-1)!), { jsonrpc: '2.0', id: 1, method: call.method, params });
  assert.ok(printed.includes('X-API-Version: 1.2'));
});

test('copied TypeScript is a program, and copied JSON-RPC is the request', () => {
  const text = copyAs('typescript', [call, call]);
  // Imports and top-level await are of modules; what is left has to parse.
  const body = stripTypeScriptTypes(text).replace(/^import .*$/m, '');
  assert.doesNotThrow(() => new Script(`(async () => {${body}})`));
  assert.match(text, /audience: "http:\/\/127\.0\.0\.1:1\/v1\/"/);
  assert.deepEqual(JSON.parse(copyAs('rpc', [call])).params, params);
  const batch = JSON.parse(copyAs('rpc', [call, call])) as { id: number }[];
  assert.deepEqual(
    batch.map(({ id }) => id),
    [1, 2],
  );
});

test('copied Python has the parameters as a text that both languages read alike', () => {
  const lines = copyAs('python', [call, call])
    .split('\n')
    .filter((line) => line.startsWith('print('));
  assert.equal(lines.length, 2);
  const [, method, text] = /^print\(call\("([^"]+)", json\.loads\((".*")\)\)\)$/.exec(lines[0]!)!;
  assert.equal(method, call.method);
  assert.deepEqual(JSON.parse(JSON.parse(text!)), params);
  assert.doesNotMatch(text!, /\\[^"\\bfnrtu]/, 'an escape that Python does not know');
});

/** Storage of a browser, in memory. */
class Shelf implements Storage {
  readonly #entries = new Map<string, string>();
  [name: string]: unknown;
  get length(): number {
    return this.#entries.size;
  }
  clear(): void {
    this.#entries.clear();
  }
  key(index: number): string | null {
    return [...this.#entries.keys()][index] ?? null;
  }
  getItem(key: string): string | null {
    return this.#entries.get(key) ?? null;
  }
  removeItem(key: string): void {
    this.#entries.delete(key);
  }
  setItem(key: string, value: string): void {
    this.#entries.set(key, value);
  }
}

test('history keeps the newest of equal calls, forty in all, and never a secret', () => {
  const shelf = new Shelf();
  const past = (n: number) => ({ method: 'm', version: '1.2', params: { n }, atMs: n, ms: 1, isDone: true });
  for (let n = 0; n < 50; n++) remember(past(n), shelf);
  assert.equal(readHistory(shelf).length, 40);
  assert.equal(readHistory(shelf)[0]?.atMs, 49);
  remember({ ...past(30), atMs: 99 }, shelf);
  assert.deepEqual(
    readHistory(shelf)
      .filter(({ params }) => (params as { n: number }).n === 30)
      .map(({ atMs }) => atMs),
    [99],
  );
  remember({ ...past(1), params: { name: 'x', password: 'y' } }, shelf);
  assert.equal(readHistory(shelf)[0]?.atMs, 99);
  assert.equal(hasSecret({ deep: [{ clientSecret: 'x' }] }), true);
  assert.equal(hasSecret({ current: 'x' }), true);
  assert.equal(hasSecret({ query: { filter: {} } }), false);
  forget(shelf);
  assert.deepEqual(readHistory(shelf), []);
  shelf.setItem('tidemark.calls', '{broken');
  assert.deepEqual(readHistory(shelf), []);
});

test('a history that was damaged keeps what is a call in it, and a call that is too long is not kept', () => {
  const shelf = new Shelf();
  const past = { method: 'm', version: '1.2', params: {}, atMs: 1, ms: 1, isDone: true };
  const broken = [
    past,
    null,
    'x',
    { ...past, method: 5 },
    { ...past, version: null },
    { ...past, atMs: '1' },
  ];
  shelf.setItem('tidemark.calls', JSON.stringify(broken));
  assert.deepEqual(readHistory(shelf), [past]);
  shelf.setItem('tidemark.calls', '{"method": "m"}');
  assert.deepEqual(readHistory(shelf), []);
  const sized = (characters: number) => ({ ...past, params: 'x'.repeat(characters - 2) });
  assert.equal(remember(sized(20_001), shelf).length, 0);
  assert.equal(remember(sized(20_000), shelf).length, 1);
});

test('a browser that keeps nothing has no history, and the call is made all the same', () => {
  const full = new Shelf();
  full.setItem = () => {
    throw new DOMException('full', 'QuotaExceededError');
  };
  const past = { method: 'm', version: '1.2', params: {}, atMs: 1, ms: 1, isDone: true };
  assert.deepEqual(remember(past, full), [past]);
  assert.deepEqual(readHistory(full), []);
});

test('calls of different versions and methods are different, the same one is there once', () => {
  const shelf = new Shelf();
  const past = { method: 'm', version: '1.2', params: { a: 1 }, atMs: 1, ms: 1, isDone: true };
  for (const change of [{}, { version: '1.1' }, { method: 'n' }, { params: { a: 2 } }, { atMs: 2 }])
    remember({ ...past, ...change }, shelf);
  assert.deepEqual(
    readHistory(shelf).map(({ method, version, params, atMs }) => [
      method,
      version,
      (params as { a: number }).a,
      atMs,
    ]),
    [
      ['m', '1.2', 1, 2],
      ['m', '1.2', 2, 1],
      ['n', '1.2', 1, 1],
      ['m', '1.1', 1, 1],
    ],
  );
});
