/** Views of signals and items: exactly the members and the order that the wire pages name (R5, R6). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { flatItem, flatSignal } from '#methods/flat-view';
import { itemResource, signalResource } from '#methods/resource-view';
import type { Attributes, Item, Signal } from '#model/signal';

const attributes: Attributes = {
  name: 'Temperature <in>',
  description: '',
  valueType: 'numeric',
  sourceType: 'measurement',
  engUnit: '°C',
  sampleIntervalUs: 900_000_000,
  gapDetectionUs: null,
  labels: new Map([
    ['site', ['a', 'b']],
    ['__proto__', ['c']],
  ]),
  enumValues: new Map([['1', 'on']]),
};

const signal: Signal = {
  id: 'c618rbfqfsj7mjkj0ss1',
  number: 7,
  integration: 'c2mo5rac8v1dtfnta5e0',
  input: 'temperature',
  attributes,
  annotations: new Map([
    ['b', '2'],
    ['a', '1'],
  ]),
  item: 'cbpmaq6rpn52969vfl00',
  createdAtMs: 1_000,
  updatedAtMs: 1_500,
};

const item: Item = {
  id: 'cbpmaq6rpn52969vfl00',
  attributes,
  annotations: new Map(),
  visible: true,
  calculation: null,
  createdAtMs: 1_000,
  updatedAtMs: 1_000,
};

const attributeMembers =
  '"name":"Temperature <in>","description":"","valueType":"numeric","sourceType":"measurement","engUnit":"°C",' +
  '"sampleInterval":"PT15M","gapDetection":null,"labels":{"__proto__":["c"],"site":["a","b"]},"enumValues":{"1":"on"}';

test('R5 a signal, to the byte', () => {
  const { meta, ...rest } = signalResource(signal);
  assert.equal(
    JSON.stringify(rest),
    `{"id":"c618rbfqfsj7mjkj0ss1","type":"signals","attributes":{${attributeMembers},"input":"temperature"},` +
      '"relationships":{"integration":{"data":{"type":"integrations","id":"c2mo5rac8v1dtfnta5e0"}},' +
      '"item":{"data":{"type":"items","id":"cbpmaq6rpn52969vfl00"}}}}',
  );
  assert.deepEqual(Object.keys(meta), [
    'annotations',
    'attributesHash',
    'relationshipsHash',
    'createdAt',
    'updatedAt',
  ]);
  assert.equal(JSON.stringify(meta.annotations), '{"a":"1","b":"2"}');
  assert.equal(meta.createdAt, '1970-01-01T00:00:01Z');
  assert.equal(meta.updatedAt, '1970-01-01T00:00:01.5Z');
});

test('R5 a signal without an item has a relationship without data', () => {
  const { relationships } = signalResource({ ...signal, item: null });
  assert.deepEqual(relationships.item, { data: null });
});

test('R5 an item, to the byte', () => {
  const { meta, ...rest } = itemResource(item);
  assert.equal(
    JSON.stringify(rest),
    `{"id":"cbpmaq6rpn52969vfl00","type":"items","attributes":{${attributeMembers},"visible":true},"relationships":{}}`,
  );
  assert.equal(meta.relationshipsHash, '5f36b2ea290645ee34d943220a14b54ee5ea5be5');
});

test('R7 the attributes hash changes with any attribute, and not with annotations', () => {
  const hash = (changed: Partial<Attributes>) =>
    signalResource({ ...signal, attributes: { ...attributes, ...changed } }).meta.attributesHash;
  const hashes = [
    hash({}),
    hash({ name: 'x' }),
    hash({ sampleIntervalUs: null }),
    hash({ labels: new Map() }),
    hash({ enumValues: new Map([['2', 'on']]) }),
  ];
  assert.equal(new Set(hashes).size, hashes.length);
  assert.equal(signalResource({ ...signal, annotations: new Map() }).meta.attributesHash, hash({}));
});

test('R6 the flat view says type or valueType, and its hash is the attributes hash', () => {
  const old = flatSignal(signal, 'type');
  assert.deepEqual(Object.keys(old), [
    'id',
    'meta',
    'annotations',
    'type',
    'name',
    'description',
    'sourceType',
    'engUnit',
    'sampleInterval',
    'gapDetection',
    'labels',
    'enumValues',
    'inputId',
    'item',
  ]);
  assert.deepEqual(old.meta, {
    contentHash: signalResource(signal).meta.attributesHash,
    createdAt: '1970-01-01T00:00:01Z',
    updatedAt: '1970-01-01T00:00:01.5Z',
  });
  assert.equal(flatItem(item, 'valueType').valueType, 'numeric');
  assert.equal('visible' in flatItem(item, 'valueType'), false);
});
