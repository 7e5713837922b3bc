/** admin.connectSignals, disconnectSignals and annotateSignals over the wire, in 1.2 (R11). */
import { type Case, runCases } from './cases.ts';
import { type Call, type IdOf, logger, nobody, owner } from './plant.ts';
import { stored } from './stored.ts';

const [connect, disconnect, annotate] = ['connectSignals', 'disconnectSignals', 'annotateSignals'].map(
  (name) => `admin.${name}`,
);

const more: Call = {
  method: 'integration.saveSignals',
  params: { integration: owner, inputs: { c: { annotations: { k: '1', l: '2' } } } },
};
const given = [...stored, more];

function change(
  method: string,
  params: object | ((id: IdOf) => object),
): Omit<Case, 'title'> & { version: string } {
  const all = (id: IdOf) => ({ integration: owner, ...(typeof params === 'function' ? params(id) : params) });
  return { given, method, version: '1.2', params: all };
}

const only = (input: string) => ({ query: { filter: { input } } });
const toAnn = (id: IdOf) => ({ ...only('c'), item: id('item of a') });
const select: Call = {
  method: 'admin.selectSignals',
  params: { integration: owner, ...only('c'), include: ['item'] },
};

runCases('relate-signals', [
  { title: 'R11 a signal is connected to an item that another one feeds', ...change(connect, toAnn) },
  { title: 'W9 1.2 has a name of its own for it', ...change('admin.signals.connect', toAnn) },
  { title: 'R11 and stays so', given: [...given, change(connect, toAnn)], ...select },
  {
    title: 'R11 a signal that feeds an item is connected to another, as the Python client asks',
    ...change(connect, (id) => ({
      query: { filter: { input: { $in: ['b', 'c'] } }, sort: [], limit: 20, skip: 0, total: true },
      item: id('item of a'),
      include: ['items'],
      format: { dataAsArray: true, groupIncludedByType: false },
      dryRun: false,
    })),
  },
  {
    title: 'R11 a dry run answers with what would be',
    ...change(connect, (id) => ({ ...toAnn(id), dryRun: true, include: ['item'] })),
  },
  {
    title: 'R11 and changes nothing',
    given: [...given, change(connect, (id) => ({ ...toAnn(id), dryRun: true }))],
    ...select,
  },
  { title: 'R11 an item that there is not', ...change(connect, { ...only('c'), item: nobody }) },
  { title: 'E2 the item is required', ...change(connect, only('c')) },
  {
    title: 'R11 no signal is selected',
    ...change(connect, (id) => ({ ...only('none'), item: id('item of a') })),
  },
  {
    title: 'R13 the largest limit',
    ...change(connect, (id) => ({ query: { limit: 1001 }, item: id('item of a') })),
  },
  {
    title: 'A3 another integration has its own signals',
    ...change(connect, (id) => ({ integration: logger, item: id('item of a') })),
  },
  {
    title: 'R11 two signals feed nothing any more',
    ...change(disconnect, {
      query: { filter: { input: { $in: ['a', 'b'] } } },
      format: { dataAsArray: false },
    }),
  },
  { title: 'W9 1.2 has a name of its own for that', ...change('admin.signals.disconnect', only('a')) },
  { title: 'R11 what feeds nothing stays as it is', ...change(disconnect, only('c')) },
  {
    title: 'R11 a dry run of disconnecting',
    given: [...given, change(disconnect, { ...only('a'), dryRun: true })],
    ...select,
    params: { integration: owner, ...only('a') },
  },
  {
    title: 'R11 annotations are merged, an empty one is removed',
    ...change(annotate, (id) => ({ data: [{ id: id('c'), annotations: { k: '', m: '3' } }] })),
  },
  {
    title: 'W9 1.2 has a name of its own for this',
    ...change('admin.signals.annotate', (id) => ({ data: [{ id: id('c') }] })),
  },
  {
    title: 'R11 annotations in the order given, with their items',
    ...change(annotate, (id) => ({
      data: ['b', 'a'].map((input) => ({ id: id(input), annotations: { x: input } })),
      include: ['item'],
      format: { groupIncludedByType: true },
    })),
  },
  {
    title: 'R11 a dry run of annotating',
    given: [
      ...given,
      change(annotate, (id) => ({ data: [{ id: id('c'), annotations: { k: '' } }], dryRun: true })),
    ],
    ...select,
  },
  {
    title: 'R11 signals that there are not',
    ...change(annotate, { data: [{ id: nobody, annotations: {} }] }),
  },
  {
    title: 'R2 annotations that are none',
    ...change(annotate, (id) => ({ data: [{ id: id('c'), annotations: { 'a b': 'x', ok: 5 } }] })),
  },
  {
    title: 'R11 too long a value',
    ...change(annotate, (id) => ({ data: [{ id: id('c'), annotations: { ok: 'v'.repeat(4097) } }] })),
  },
  { title: 'E2 what annotating needs', ...change(annotate, { data: [{}] }) },
  { title: 'R11 nothing to annotate', ...change(annotate, { data: [] }) },
  {
    title: 'R13 more than the largest number of signals',
    ...change(annotate, { data: Array.from({ length: 1001 }, () => ({ id: nobody })) }),
  },
  { title: 'W4 an unknown parameter', ...change(disconnect, { dryrun: true }) },
  { title: 'A5 without the grant', ...change(connect, {}), as: logger },
  { title: 'W9 not in 1.1', given, method: connect, version: '1.1', params: {} },
]);
