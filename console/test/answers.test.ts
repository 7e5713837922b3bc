/** What pages make of answers of the service, without a browser: sums, charts, differences, errors and their fields, addresses. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { ServiceError } from '@tidemark/client';
import type { HistoryPart, Item, PublishState, Signal, UsageRow } from '@tidemark/client/wire';
import { attributeNames, differingFields } from '../src/features/edit/change.ts';
import { draftProblem, keepProblem, newDraft, setupOf, stepOfError } from '../src/pages/entry/draft.ts';
import { adviceFor } from '../src/pages/integrations/connection.ts';
import { usesOf } from '../src/pages/items/uses.ts';
import { auditParams } from '../src/pages/operate/audit-params.ts';
import { byDay, byIntegration, toCsv } from '../src/pages/operate/usage.ts';
import { differences, isEqual, itemAfter } from '../src/pages/publish/choice.ts';
import { addPage, countTaken, noCounts, type Page } from '../src/pages/publish/counts.ts';
import { compareAddresses } from '../src/pages/settings/address.ts';
import { keepText, usualLengths } from '../src/pages/settings/keep.ts';
import { draftOf, scopeKinds, scopeOf, scopeText } from '../src/pages/settings/retention.ts';
import { lastDay, spread } from '../src/pages/signals/half-hours.ts';
import { box, pathsOf, sumsOf } from '../src/pages/signals/history.ts';
import { fieldError, messageOf, RpcError } from '../src/platform/rpc/rpc-error.ts';
import { randomOf } from './support/random.ts';

const random = randomOf(47);
const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;

suite('usage', () => {
  const day = 86_400_000;
  const nowMs = Date.parse('2026-03-03T23:59:59Z');
  const randomRows = (count: number): UsageRow[] =>
    Array.from({ length: count }, () => ({
      day: new Date(nowMs - Math.floor(random() * 40) * day).toISOString().slice(0, 10),
      integration: pick(['mill', 'pump', 'tank']),
      points: Math.floor(random() * 1000),
      requests: Math.floor(random() * 10),
      bytesIn: Math.floor(random() * 1e6),
      signals: 1,
      items: 0,
      rejected: Math.floor(random() * 2),
      pointsOver: 0,
      requestsOver: 0,
      signalsOver: 0,
      itemsOver: 0,
    }));

  test('the days that are shown follow each other up to today, and have the points of their rows', () => {
    for (let round = 0; round < 50; round++) {
      const rows = randomRows(30);
      const days = byDay(rows, 30, nowMs);
      assert.equal(days.length, 30);
      assert.equal(days.at(-1)?.day, '2026-03-03');
      for (const [i, { day: of, points }] of days.entries()) {
        assert.equal(Date.parse(of), Date.parse('2026-03-03') - (29 - i) * day);
        const own = rows.filter((row) => row.day === of).map((row) => row.points);
        assert.equal(
          points,
          own.reduce((a, b) => a + b, 0),
        );
      }
    }
  });

  test('what integrations used together is what all rows say, whatever is counted', () => {
    const rows = randomRows(60);
    const sums = byIntegration(rows);
    for (const name of ['points', 'requests', 'bytesIn', 'signals', 'rejected'] as const) {
      const of = (list: readonly number[]) => list.reduce((a, b) => a + b, 0);
      assert.equal(of(sums.map(({ tally }) => tally[name])), of(rows.map((row) => row[name])), name);
    }
    assert.deepEqual(new Set(sums.map(({ integration }) => integration)), new Set(['mill', 'pump', 'tank']));
  });

  test('a file without rows has one empty line; an integration without a name has an empty one', () => {
    assert.equal(toCsv([], new Map()), '\r\n');
    const [row] = randomRows(1);
    assert.match(
      toCsv([row!], new Map()),
      new RegExp(`\r\n${row!.day},${row!.integration},,${row!.points},`),
    );
  });
});

suite('the chart of a signal', () => {
  const part = (count: number, low: number, high: number): HistoryPart =>
    count === 0
      ? { time: '', count, min: null, max: null, avg: null, last: null }
      : { time: '', count, min: low, max: high, avg: (low + high) / 2, last: high };
  const randomParts = () =>
    Array.from({ length: 24 }, () => {
      const low = random() * 100 - 50;
      return part(random() < 0.3 ? 0 : Math.ceil(random() * 9), low, low + random() * 20);
    });

  test('the mean is between the lowest and the highest value, and every point counts once', () => {
    for (let round = 0; round < 100; round++) {
      const parts = randomParts();
      const { count, min, max, avg } = sumsOf(parts);
      assert.equal(
        count,
        parts.reduce((sum, each) => sum + each.count, 0),
      );
      if (min === null || max === null || avg === null) continue;
      assert.ok(min <= avg && avg <= max);
      for (const each of parts) assert.ok((each.min ?? min) >= min && (each.max ?? max) <= max);
    }
  });

  test('line and band stay within the picture, from the left to the right', () => {
    for (let round = 0; round < 100; round++) {
      const { line, band } = pathsOf(randomParts(), false);
      for (const path of [line.replace(/h0\.1$/, ''), band]) {
        const points = [...path.matchAll(/(-?[\d.]+) (-?[\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)]);
        for (const [x = 0, y = 0] of points)
          assert.ok(x >= 0 && x <= box.width && y >= 0 && y <= box.height, `${x} ${y}`);
      }
      const xs = [...line.matchAll(/[ML](-?[\d.]+)/g)].map(([, x]) => Number(x));
      assert.deepEqual(
        xs,
        xs.toSorted((a, b) => a - b),
      );
    }
  });

  test('the band goes along the highest values and back along the lowest', () => {
    const { line, band } = pathsOf([part(2, 0, 10), part(2, 5, 20)], false);
    assert.equal(line, 'M240.0 165.0L720.0 82.5h0.1');
    assert.equal(band, 'M240.0 110.0L720.0 0.0L720.0 165.0L240.0 220.0Z');
  });

  test('a state holds until the next one; there is no band', () => {
    const { line, band } = pathsOf([part(1, 0, 0), part(0, 0, 0), part(1, 2, 2), part(1, 1, 1)], true);
    assert.equal(line, 'M120.0 220.0H600.0V0.0H840.0V110.0h4');
    assert.equal(band, '');
  });
});

suite('the line of the last day', () => {
  test('a day that ends at a half hour ends there, not half an hour later', () => {
    const at = Date.parse('2026-11-20T10:30:00Z');
    assert.equal(lastDay(at).endMs, at);
    assert.equal(lastDay(at + 1).endMs, at + 1_800_000);
  });

  test('each value is at its time, whatever times are missing', () => {
    const { fromMs } = lastDay(Date.parse('2026-11-20T10:10:00Z'));
    for (let round = 0; round < 50; round++) {
      const slots = Array.from({ length: 48 }, (_, i) => i).filter(() => random() < 0.5);
      const times = slots.map((slot) => new Date(fromMs + slot * 1_800_000).toISOString());
      const line = spread(times, slots, fromMs);
      for (let slot = 0; slot < 48; slot++) assert.equal(line[slot], slots.includes(slot) ? slot : null);
    }
  });

  test('a time without a value, before the day, or after it, is a gap', () => {
    const times = ['2026-11-19T23:30:00Z', '2026-11-20T00:00:00Z', '2026-11-21T00:00:00Z'];
    const line = spread(times, [1, null, 3], Date.parse('2026-11-20T00:00:00Z'));
    assert.deepEqual(new Set(line), new Set([null]));
  });
});

suite('a signal and its item', () => {
  const values = {
    name: ['Flow', 'Level'],
    description: ['', 'Behind the pump'],
    valueType: ['numeric', 'enum'],
    sourceType: ['measurement', 'prediction'],
    engUnit: ['', 'm³/h'],
    sampleInterval: [null, 'PT1M'],
    gapDetection: [null, 'PT5M'],
    labels: [{}, { site: ['North'] }, { site: ['South'] }, { site: ['North', 'South'] }, { area: ['North'] }],
    enumValues: [{}, { 0: 'off' }, { 1: 'off' }],
  } as const;
  const randomAttributes = () =>
    Object.fromEntries(attributeNames.map((name) => [name, pick<unknown>(values[name])]));
  const pairOf = () =>
    [
      { attributes: { ...randomAttributes(), input: 'flow' } } as unknown as Signal,
      { attributes: { ...randomAttributes(), visible: true } } as unknown as Item,
    ] as const;

  test('a field differs where its JSON does, and only there', () => {
    for (let round = 0; round < 300; round++) {
      const [signal, item] = pairOf();
      const found = new Set<string>(differences(signal, item));
      for (const name of attributeNames) {
        const isSame = JSON.stringify(signal.attributes[name]) === JSON.stringify(item.attributes[name]);
        assert.equal(found.has(name), !isSame, name);
      }
    }
  });

  test('the order of keys is no difference, that of values is one', () => {
    const of = (labels: object) => ({ attributes: { labels } }) as unknown as Signal & Item;
    assert.ok(isEqual('labels', of({ a: ['1'], b: ['2'] }), of({ b: ['2'], a: ['1'] })));
    assert.ok(!isEqual('labels', of({ a: ['1', '2'] }), of({ a: ['2', '1'] })));
    assert.ok(!isEqual('labels', of({ a: ['12'] }), of({ a: ['1', '2'] })));
  });

  test('after publishing, each field is that of the chosen side, and nothing else is sent', () => {
    for (let round = 0; round < 100; round++) {
      const [signal, item] = pairOf();
      const choice = Object.fromEntries(
        attributeNames.map((name) => [name, pick(['signal', 'item'] as const)]),
      );
      const after = itemAfter(signal, item, choice, false);
      for (const name of attributeNames)
        assert.deepEqual(after[name], (choice[name] === 'item' ? item : signal).attributes[name], name);
      assert.deepEqual(Object.keys(after).toSorted(), [...attributeNames, 'visible'].toSorted());
      assert.equal(after.visible, false);
    }
  });

  test('the fields that differ are named by their titles', () => {
    const state = { differs: ['engUnit', 'sampleInterval', 'new-field'] } as unknown as PublishState;
    assert.equal(differingFields(state), 'Unit, Sample interval, new-field');
    assert.equal(differingFields(undefined), '');
  });

  test('what the button counts is what each switch adds', () => {
    const counts = { ...noCounts, unpublished: 1, changed: 10, edited: 100, inSync: 1000 };
    for (const takesNew of [true, false])
      for (const takesChanged of [true, false])
        for (const takesEdited of [true, false])
          assert.equal(
            countTaken(counts, { takesNew, takesChanged, takesEdited, isVisible: true }),
            Number(takesNew) + 10 * Number(takesChanged) + 100 * Number(takesEdited),
          );
  });

  test('a signal whose state is not known counts as seen, and as nothing else', () => {
    const page = { signals: [{ id: 'a' }], items: new Map(), states: {}, total: 1 } as unknown as Page;
    assert.deepEqual(addPage(noCounts, page, []), { ...noCounts, seen: 1, total: 1 });
  });
});

suite('where an item is used', () => {
  const view = (query: Record<string, string>) => ({
    ...{ id: 'v', name: 'View', owner: { id: 'ada', name: 'Ada' } },
    query: new URLSearchParams(query).toString(),
  });
  const sheet = (calculations: [string, string][]) =>
    JSON.stringify([[['c00000000000000000a0', 'flow', 'avg']], calculations, []]);

  test('a name in a formula is the item’s only as a whole word', () => {
    const f = sheet([
      ['a', 'flow2 + my_flow'],
      ['b', '2 * flow'],
      ['c', '1e3 + overflow'],
    ]);
    const [use] = usesOf([view({ f })], 'c00000000000000000a0');
    assert.deepEqual(
      use?.calculations.map(({ alias }) => alias),
      ['b'],
    );
  });

  test('a calculation that does not use the item does not pass it on', () => {
    const f = sheet([
      ['other', '1 + 1'],
      ['next', 'other * 2'],
      ['direct', 'flow - 1'],
      ['indirect', 'direct * other'],
    ]);
    const [use] = usesOf([view({ f })], 'c00000000000000000a0');
    assert.deepEqual(
      use?.calculations.map(({ alias }) => alias),
      ['direct', 'indirect'],
    );
    assert.ok(use?.to.startsWith('#/formulas?f='));
  });
});

suite('errors', () => {
  const error = new RpcError('not valid', {
    params: { labels: ['too many'], 'labels.site': ['empty', 'twice'], labelsMax: ['x'] },
  });
  test('a field has its own messages and those below it, not those of a longer name', () => {
    assert.equal(fieldError(error, 'labels'), 'too many; empty; twice');
    assert.equal(fieldError(error, 'labels.site'), 'empty; twice');
    assert.equal(fieldError(error, 'label'), undefined);
  });

  test('401 ends the session, and so does 403 without an answer to the call: it was made with the token of another', () => {
    assert.ok(new RpcError('', { status: 401 }).isSignedOut);
    assert.ok(new RpcError('', { status: 403 }).isSignedOut);
    assert.ok(!new RpcError('', { status: 403, code: -32_003 }).isSignedOut);
    assert.ok(!new RpcError('', { status: 200, code: -32_602 }).isSignedOut);
    assert.equal(messageOf(error), 'not valid');
  });

  test('advice is about the credential, the proxy or the service, by what was answered', () => {
    const of = (change: Partial<ConstructorParameters<typeof ServiceError>[1]>, message = '') =>
      adviceFor(new ServiceError(message, { kind: 'http', method: '', ...change }));
    assert.match(of({ status: 401 }, 'The integration is disabled'), /Enable it on its page/);
    assert.match(of({ kind: 'timeout' }), /^No answer/);
    assert.match(of({ status: 404 }), /A proxy in front/);
    assert.match(of({ status: 504 }), /A proxy in front/);
    assert.match(of({ kind: 'rpc', status: 404, code: -32_601 }), /refused the request/);
    assert.match(of({ status: 503, retryAfterMs: 1 }), /Wait 1 s,/);
  });
});

suite('the set-up', () => {
  const complete = {
    ...newDraft({ name: 'Tidemark', color: '#0b7285', timeZone: 'UTC' }),
    ...{ code: 'abc', name: 'Ada', password: 'twelve chars', again: 'twelve chars' },
  };
  test('twelve characters are enough, eleven are not; spaces count in a password', () => {
    assert.equal(draftProblem(complete), null);
    const short = { ...complete, password: 'eleven char', again: 'eleven char' };
    assert.deepEqual(draftProblem(short), { password: 'At least 12 characters, got 11.' });
    const spaced = { ...complete, password: ' twelve chars', again: 'twelve chars' };
    assert.deepEqual(draftProblem(spaced), { again: 'The two passwords differ.' });
    assert.equal(setupOf(spaced).password, ' twelve chars');
  });

  test('a name of spaces is none', () =>
    assert.deepEqual(Object.keys(draftProblem({ ...complete, name: '  ' }) ?? {}), ['name']));

  test('each field that the service refuses is on the step that is opened', () => {
    const stepOf = (field: string) =>
      stepOfError(new RpcError('no', { status: 400, params: { [field]: ['x'] } }));
    assert.deepEqual(
      ['code', 'name', 'password', 'instanceName', 'color', 'timeZone'].map(stepOf),
      [0, 0, 0, 1, 1, 1],
    );
  });

  test('every length that can be chosen is one that can be kept, and has words', () => {
    for (const { value } of usualLengths) {
      assert.equal(keepProblem(value), undefined);
      assert.doesNotMatch(keepText(value), /^P/);
    }
    assert.match(keepProblem('P1H') ?? '', /duration/);
    assert.match(keepProblem('P1DT') ?? '', /duration/);
  });
});

suite('rules and addresses', () => {
  test('the scope of each kind of rule is said in words', () => {
    const names = new Map([['mill', 'The mill']]);
    const draft = { ...draftOf(null, names), key: 'site', value: 'North' };
    assert.deepEqual(
      scopeKinds.map(({ value: kind }) => scopeText(scopeOf({ ...draft, kind }), names)),
      ['All signals', 'Integration “The mill”', 'Label site = North'],
    );
  });

  test('without any integration there is none to choose', () =>
    assert.equal(draftOf(null, new Map()).integration, ''));

  test('only this machine is safe without encryption', () => {
    const isPlain = (address: string) => compareAddresses(address, address).isPlain;
    for (const safe of [
      'http://localhost:80',
      'http://tide.localhost',
      'http://127.0.0.1',
      'http://[::1]:8080',
    ])
      assert.ok(!isPlain(safe), safe);
    for (const open of [
      'http://localhost.example',
      'http://127.example',
      'http://mylocalhost',
      'http://10.0.0.1',
    ])
      assert.ok(isPlain(open), open);
    assert.ok(!isPlain('https://tide.example'));
  });

  test('every field of the audit filter is sent', () => {
    const params = auditParams(new URLSearchParams('action=a&actor=b&target=c'), 'UTC');
    assert.deepEqual(params, { filter: { action: 'a', actor: 'b', target: 'c' } });
  });
});
