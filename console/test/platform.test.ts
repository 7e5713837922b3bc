/** The base of the console: places in the address, stores, and where messages go. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { csvField, csvOf } from '../src/parts/csv.ts';
import { freePlace, type Rect } from '../src/parts/free-place.ts';
import { href, matchPath, parsePlace, type SearchChange } from '../src/platform/router/place.ts';
import { createStore } from '../src/platform/store.ts';
import { randomOf } from './support/random.ts';

suite('places', () => {
  test('a place that is printed is read again, whatever is in its query', () => {
    const queries: SearchChange[] = [
      {},
      { q: 'a b&c=d#é?', zone: 'Europe/Oslo' },
      { json: '{"a":["%"]}' },
      { empty: '', none: null },
    ];
    for (const query of queries)
      for (const path of ['/', '/signals', '/signals/a%2Fb/c']) {
        const place = parsePlace(href(path, query));
        assert.equal(place.path, path);
        const kept = Object.entries(query).filter(([, value]) => value);
        assert.deepEqual(Object.fromEntries(place.search), Object.fromEntries(kept));
      }
  });

  const fragments = [
    ['', '/'],
    ['#', '/'],
    ['#/', '/'],
    ['#signals', '/signals'],
    ['#/items/5?x=1', '/items/5'],
    ['#/a?b?c', '/a'],
  ] as const;
  for (const [fragment, path] of fragments)
    test(`“${fragment}” is the place ${path}`, () => assert.equal(parsePlace(fragment).path, path));

  const patterns = [
    ['/', '/', {}],
    ['/', '/signals', null],
    ['/signals', '/signals/', {}],
    ['/signals/:id', '/signals/a%20b', { id: 'a b' }],
    ['/signals/:id', '/signals', null],
    ['/signals/:id', '/signals/1/2', null],
    ['/signals/:id', '/items/1', null],
    ['/a/:x/:y', '/a/1/2', { x: '1', y: '2' }],
    ['/items/:id', '/items/%', null],
  ] as const;
  for (const [pattern, path, params] of patterns)
    test(`${path} ${params ? 'is' : 'is not'} ${pattern}`, () =>
      assert.deepEqual(matchPath(pattern, path), params));
});

suite('stores', () => {
  test('those who follow are called once for each change, and not after they have left', () => {
    const store = createStore(1);
    let calls = 0;
    const leave = store.subscribe(() => calls++);
    store.set(2);
    store.set(2);
    assert.deepEqual([store.get(), calls], [2, 1]);
    leave();
    store.set(3);
    assert.deepEqual([store.get(), calls], [3, 1]);
  });

  test('several follow one store, and see the new value', () => {
    const store = createStore<readonly string[]>([]);
    const seen: number[] = [];
    store.subscribe(() => seen.push(store.get().length));
    store.subscribe(() => seen.push(store.get().length * 10));
    store.set(['a']);
    assert.deepEqual(seen, [1, 10]);
  });

  test('not a number is not another value', () => {
    const store = createStore(Number.NaN);
    store.subscribe(() => assert.fail('nothing has changed'));
    store.set(Number.NaN);
  });
});

suite('messages', () => {
  const screen = { width: 1000, height: 600 };
  const size = { width: 300, height: 80 };
  const corner = { left: 684, top: 504 };

  test('are in the corner where nothing is in their way', () => {
    assert.deepEqual(freePlace(size, screen, []), corner);
    assert.deepEqual(freePlace(size, screen, [{ left: 0, top: 0, width: 683, height: 600 }]), corner);
  });

  test('move to where they cover nothing', () => {
    const button = { left: 900, top: 540, width: 60, height: 30 };
    const place = freePlace(size, screen, [button]);
    assert.ok(!touches({ ...place, ...size }, button));
    assert.equal(place.top, corner.top, 'along the lower edge');
  });

  test('cover nothing wherever some place is free, and stay on the screen', () => {
    const random = randomOf(15);
    for (let round = 0; round < 300; round++) {
      const obstacles = Array.from({ length: 6 }, () => ({
        left: random() * 950,
        top: random() * 570,
        width: 50,
        height: 30,
      }));
      const place = freePlace(size, screen, obstacles);
      const covered = (at: { left: number; top: number }) =>
        obstacles.filter((each) => touches({ ...at, ...size }, each)).length;
      assert.ok(place.left >= 0 && place.top >= 0);
      assert.ok(place.left + size.width <= screen.width && place.top + size.height <= screen.height);
      for (const other of [corner, { left: 16, top: 16 }, { left: 16, top: 504 }])
        assert.ok(covered(place) <= covered(other));
    }
  });

  test('stay where they are while that is free, and are nowhere else than on a small screen', () => {
    const present = { left: 20, top: 30 };
    assert.deepEqual(freePlace(size, screen, [], present), present);
    assert.deepEqual(freePlace(size, screen, [{ ...present, width: 5, height: 5 }], present), corner);
    assert.deepEqual(freePlace(size, { width: 200, height: 50 }, []), { left: 0, top: 0 });
  });

  test('come back onto the screen when there are more of them, or it has become smaller', () => {
    assert.deepEqual(freePlace({ ...size, height: 160 }, screen, [], corner), { ...corner, top: 424 });
    assert.deepEqual(freePlace(size, { width: 800, height: 600 }, [], corner), { ...corner, left: 484 });
  });
});

suite('fields', () => {
  test('a field is quoted where it must be, and is no formula', () => {
    const fields = ['a', 'a,b', 'say "x"', 'a\nb', '=1+1', '-5', '+x', '@x', '-1e3'];
    assert.deepEqual(fields.map(csvField), [
      'a',
      '"a,b"',
      '"say ""x"""',
      '"a\nb"',
      "'=1+1",
      '-5',
      "'+x",
      "'@x",
      '-1e3',
    ]);
    assert.equal(csvOf([['a', 'b'], ['1,5']]), 'a,b\r\n"1,5"\r\n');
  });
});

function touches(a: Rect, b: Rect): boolean {
  return (
    a.left < b.left + b.width &&
    b.left < a.left + a.width &&
    a.top < b.top + b.height &&
    b.top < a.top + a.height
  );
}
