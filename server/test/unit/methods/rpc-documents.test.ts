/** The committed OpenRPC documents: what the methods say now, valid, and complete (W4, W9). */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { versions } from '#protocol/version';
import { rpcDirectory, rpcDocuments } from '../../../generate/rpc-documents.ts';

// CommonJS; TypeScript does not see what the second one exports.
const require = createRequire(import.meta.url);
const { Ajv } = require('ajv') as typeof import('ajv');
const { openrpcDocument } = require('@open-rpc/meta-schema');

const jsonSchema = 'http://json-schema.org/draft-07/schema';

/** The meta-schema names one of JSON Schema that only the network has; ajv brings the same. */
const metaSchema = JSON.parse(
  JSON.stringify(openrpcDocument, (key, value) => {
    if (key === '$schema') return undefined;
    if (typeof value !== 'string' || !value.startsWith('https://meta.json-schema.tools')) return value;
    return value.endsWith('$ref') ? `${jsonSchema}#/properties/$ref` : jsonSchema;
  }),
);

const documents = rpcDocuments();

for (const [name, text] of documents) {
  test(`W9 ${name} is what the methods say (npm run generate rewrites it)`, () => {
    const url = new URL(name, rpcDirectory);
    if (process.env.UPDATE === '1') writeFileSync(url, text);
    assert.equal(readFileSync(url, 'utf8'), text);
  });

  test(`W9 ${name} is a valid OpenRPC document with valid schemas`, () => {
    const ajv = new Ajv({ strict: false, validateFormats: false });
    assert(ajv.validate(metaSchema, JSON.parse(text)), ajv.errorsText());
  });
}

/** The methods for people (A5a), and the order of their parameters. */
const consoleOrders = {
  'console.audit.list': 'before limit filter from until',
  'console.calculations.delete': 'id',
  'console.calculations.list': '',
  'console.calculations.save': 'item formula inputs interval id',
  'console.calculations.show': 'id',
  'console.calculations.versions': 'id',
  'console.calls.cancel': 'id node',
  'console.calls.list': '',
  'console.config': '',
  'console.credentials.create': 'integration type label expiresAt',
  'console.credentials.list': 'integration',
  'console.credentials.revoke': 'id',
  'console.credentials.rotate': 'id overlap expiresAt',
  'console.health': '',
  'console.instance.update': 'name color timeZone',
  'console.integrations.create': 'name grants',
  'console.integrations.delete': 'id dryRun',
  'console.integrations.disable': 'id',
  'console.integrations.enable': 'id',
  'console.integrations.broker': 'id',
  'console.integrations.errors': 'id',
  'console.integrations.grant': 'id grant',
  'console.integrations.list': '',
  'console.integrations.rename': 'id name',
  'console.integrations.revoke': 'id grant',
  'console.items.edit': 'query change dryRun',
  'console.items.status': 'ids',
  'console.nodes': '',
  'console.overview': '',
  'console.password.change': 'current next',
  'console.people.create': 'name password role',
  'console.people.delete': 'id',
  'console.people.list': '',
  'console.people.update': 'id role password',
  'console.plans.list': '',
  'console.publish.apply': 'integration itemsBySignal',
  'console.publish.status': 'ids',
  'console.retention.list': '',
  'console.retention.preview': 'scope keep',
  'console.retention.remove': 'scope',
  'console.retention.set': 'scope keep',
  'console.rules.delete': 'id',
  'console.rules.list': '',
  'console.rules.preview': 'rule id outcomes',
  'console.rules.run': 'outcomes',
  'console.rules.save': 'rule id',
  'console.sessions.list': '',
  'console.sessions.revoke': 'id',
  'console.signals.byAge': 'integration filter isSilentOnly olderThan youngerThan order limit skip',
  'console.signals.edit': 'integration query change dryRun',
  'console.signals.history': 'ids range',
  'console.signals.silent': '',
  'console.signals.sizes': 'ids',
  'console.signals.spacing': 'id',
  'console.signals.status': 'ids',
  'console.signals.trends': 'ids from before',
  'console.sizes': '',
  'console.usage': 'integration days',
  'console.views.delete': 'id',
  'console.views.list': '',
  'console.views.save': 'name query',
};

/** The methods of each version, by name. */
const expected: Record<string, string[]> = {
  '1.0': ['integration.insert', 'integration.saveSignals'],
  '1.1beta1': [
    'admin.publishSignals',
    'admin.selectSignals',
    'integration.insert',
    'integration.saveSignals',
    'service.selectItems',
  ],
  '1.1beta2': [
    'admin.publishSignals',
    'admin.selectSignals',
    'integration.insert',
    'integration.saveSignals',
    'service.dataFrame',
    'service.selectItems',
  ],
};
expected['1.1'] = [...expected['1.1beta2'], 'service.evaluate'].sort();
expected['1.2'] = [
  ...expected['1.1'],
  'admin.annotateSignals',
  'admin.connectSignals',
  'admin.deleteData',
  'admin.disconnectSignals',
  'admin.importCalculation',
  ...Object.keys(consoleOrders),
].sort();

/** Names that only 1.2 has. */
const synonymsOf12 = [
  'admin.data.delete',
  'admin.signals.annotate',
  'admin.signals.connect',
  'admin.signals.disconnect',
  'admin.signals.publish',
  'admin.signals.select',
  'integration.signals.save',
  'service.items.select',
];

for (const version of versions) {
  test(`W9 version ${version} has its methods, and its synonyms`, () => {
    const { methods } = JSON.parse(documents.get(`openrpc-${version}.json`) as string);
    const names = methods.map((method: { name: string }) => method.name);
    assert.deepEqual(
      names.filter((name: string) => !name.startsWith('rpc.')),
      expected[version],
    );
    const synonyms = methods.flatMap((method: Record<string, string[]>) => method['x-synonyms'] ?? []);
    const ours = synonyms.filter((name: string) => !name.startsWith('clarify.'));
    assert.deepEqual(ours.sort(), version === '1.2' ? synonymsOf12 : []);
  });
}

test('W4 positional parameters come in the order of the interface', () => {
  const { methods } = JSON.parse(documents.get('openrpc-1.2.json') as string);
  const orders = methods.map((method: { name: string; params: { name: string }[] }) => [
    method.name,
    method.params.map(({ name }) => name).join(' '),
  ]);
  assert.deepEqual(Object.fromEntries(orders), {
    'admin.annotateSignals': 'integration data include format groupIncludedByType dryRun',
    'admin.connectSignals': 'integration query item include format groupIncludedByType dryRun',
    'admin.deleteData': 'integration query data dryRun',
    'admin.disconnectSignals': 'integration query include format groupIncludedByType dryRun',
    'admin.importCalculation': 'integration id item versions',
    'admin.publishSignals': 'integration itemsBySignal createOnly',
    'admin.selectSignals': 'integration query include format groupIncludedByType',
    ...consoleOrders,
    'integration.insert': 'integration data',
    'integration.saveSignals': 'integration signalsByInput createOnly',
    'service.dataFrame': 'query data include format groupIncludedByType',
    'service.evaluate': 'items groups calculations data include format groupIncludedByType',
    'service.selectItems': 'query include format groupIncludedByType',
  });
});
