/** integration.saveSignals over the wire, in every version (R2, R4, R8, W4, W9). */
import type { Case } from './cases.ts';
import { runCases } from './cases.ts';
import { logger, owner } from './plant.ts';

const method = 'integration.saveSignals';
const full = {
  name: 'Temperature',
  description: 'In the hall',
  valueType: 'enum',
  sourceType: 'aggregation',
  engUnit: '°C',
  sampleInterval: 'PT15M',
  gapDetection: 'P1D',
  labels: { site: ['b', 'a', 'b'] },
  enumValues: { '1': 'on', '0': 'off' },
  annotations: { 'example/key': 'value' },
};

function save(signalsByInput: object, version = '1.1') {
  return { method, version, params: { integration: owner, signalsByInput } };
}

const created: Case[] = ['1.0', '1.1beta1', '1.1beta2', '1.1', '1.2'].map((version) => ({
  title: `R8 a new signal in ${version}`,
  ...save({ temperature: full, pressure: {} }, version),
}));

const synonyms: Case[] = ['signalsByInput', 'input', 'inputs'].map((name) => ({
  title: `R8 the map is accepted as ${name}`,
  method,
  params: { integration: owner, [name]: { temperature: {} } },
}));

runCases('save-signals', [
  ...created,
  ...synonyms,
  {
    title: 'W1 the name in any case, as the Python client writes it',
    method: 'integration.SaveSignals',
    params: { integration: owner, inputs: { a: { name: 'A', sampleInterval: null } }, createOnly: false },
  },
  {
    title: 'W9 1.2 has a name of its own for it',
    ...save({ a: {} }, '1.2'),
    method: 'integration.signals.save',
  },
  { title: 'W9 which 1.1 has not', ...save({ a: {} }), method: 'integration.signals.save' },
  { title: 'R8 the same again changes nothing', given: [save({ a: full })], ...save({ a: full }) },
  {
    title: 'R8 another name is an update',
    given: [save({ a: full })],
    ...save({ a: { ...full, name: 'B' } }),
  },
  {
    title: 'R8 an update in 1.0 does not say so',
    given: [save({ a: full })],
    ...save({ a: { ...full, name: 'B' } }, '1.0'),
  },
  {
    title: 'R8 createOnly leaves what is there and lists it',
    given: [save({ a: full })],
    method,
    params: { integration: owner, signalsByInput: { a: { name: 'B' }, b: {} }, createOnly: true },
  },
  {
    title: 'R2 zero values as the Go client sends them',
    ...save({
      a: {
        name: 'A',
        description: '',
        valueType: '',
        sourceType: '',
        engUnit: '',
        sampleInterval: null,
        gapDetection: null,
        labels: {},
        enumValues: {},
      },
    }),
  },
  {
    title: 'R2 null stands for the default of any attribute',
    ...save({ a: { name: null, labels: null, type: null } }),
  },
  {
    title: 'R2 the values that are too long, or unknown, by path',
    ...save({
      a: {
        name: 'n'.repeat(129),
        description: 'd'.repeat(1001),
        engUnit: 'u'.repeat(256),
        valueType: 'text',
        sourceType: 'guess',
        enumValues: { '1': 'w', '01': 'x', '10000': 'y', '2': '' },
        labels: { 'a b': ['x'], ok: ['v'.repeat(1025)] },
        annotations: { 'a.b': 'x', ok: 'v'.repeat(4097) },
      },
    }),
  },
  {
    title: 'R2 the longest that fit',
    ...save({
      a: {
        name: 'n'.repeat(128),
        description: 'd'.repeat(1000),
        engUnit: 'u'.repeat(255),
        enumValues: { '0': 'x'.repeat(128), '9999': 'y' },
        labels: { [`k${'/'.repeat(127)}`]: ['v'.repeat(128)] },
        annotations: { [`k${'-'.repeat(127)}`]: 'v'.repeat(4096) },
      },
      [`k${'.'.repeat(127)}`]: {},
    }),
  },
  { title: 'R2 input keys that are none', ...save({ 'a b': {}, '': {}, [`k${'.'.repeat(128)}`]: {} }) },
  {
    title: 'R4 intervals that are none',
    ...save({ a: { sampleInterval: 'P1M', gapDetection: '-PT1S' }, b: { gapDetection: 'soon' } }),
  },
  {
    title: 'E2 wrong types, each with its path',
    ...save({ a: { name: 5, labels: ['x'], enumValues: { '1': 1 } }, b: null }),
  },
  { title: 'E2 what is required and missing', method, params: {} },
  {
    title: 'W4 an unknown parameter from 1.1 on',
    method,
    params: { integration: owner, signalsByInput: {}, creatOnly: true },
  },
  { title: 'W4 an unknown member of a signal from 1.1 on', ...save({ a: { colour: 'red' } }) },
  {
    title: 'W4 both are ignored before 1.1',
    method,
    version: '1.0',
    params: { integration: owner, inputs: { a: { colour: 'red' } }, creatOnly: true },
  },
  {
    title: 'W4 parameters by position',
    method,
    params: [owner, { a: {} }, true],
  },
  { title: 'W4 two names of one parameter', method, params: { integration: owner, inputs: {}, input: {} } },
  { title: 'A3 the signals of another integration', ...save({ a: {} }), as: logger },
  { title: 'A3 an ID that is none', method, params: { integration: 'me', signalsByInput: {} } },
  { title: 'R8 nothing to save', ...save({}) },
]);
