/** OpenRPC documents of the real methods, held against the specification's own schema. */
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import type { Ajv } from 'ajv';
import { methodDefinitions } from '#methods/index';
import type { OpenRpcDocument } from '#protocol/describe';
import { versions } from '#protocol/version';
import { type ServiceUnderTest, startService } from '../../support/service.ts';

const require = createRequire(import.meta.url);
const AjvClass: typeof Ajv = require('ajv').Ajv;

let service: ServiceUnderTest;
before(async () => {
  service = await startService();
});
after(() => service.close());

/** A validator of documents. The schema of schemas, which the OpenRPC schema refers to, is checked by ajv itself. */
function newValidator() {
  const { $schema: _, ...openRpc } = require('@open-rpc/meta-schema').default;
  const ajv = new AjvClass({ strict: false, validateFormats: false });
  const definitions = { JSONSchemaObject: { properties: { $ref: { type: 'string' } } } };
  for (const $id of ['https://meta.json-schema.tools', 'https://meta.json-schema.tools/']) {
    ajv.addSchema({ type: ['object', 'boolean'], definitions }, $id);
  }
  return { ajv, validate: ajv.compile(openRpc) };
}

test('W9 the document of each version is valid OpenRPC, and each schema in it valid JSON Schema', async () => {
  const { ajv, validate } = newValidator();
  for (const version of versions) {
    const document: OpenRpcDocument = (await service.call('rpc.discover', {}, { version })).result;
    assert.equal(validate(document), true, JSON.stringify(validate.errors?.slice(0, 3)));
    const schemas = document.methods.flatMap(({ params, result }) => [
      ...(params as { schema: object }[]),
      result as { schema: object },
    ]);
    for (const { schema } of schemas) assert.ok(ajv.validateSchema(schema), JSON.stringify(schema));
    assert.doesNotMatch(JSON.stringify(document), /x-described/);
  }
});

test('W9 each version has the methods of the table', async () => {
  const namesOf = async (version: string) => {
    const document: OpenRpcDocument = (await service.call('rpc.discover', {}, { version })).result;
    return document.methods.map(({ name }) => name);
  };
  const integration = ['integration.insert', 'integration.saveSignals'];
  assert.deepEqual(await namesOf('1.0'), integration);
  assert.deepEqual(await namesOf('1.1beta1'), [
    'admin.publishSignals',
    'admin.selectSignals',
    ...integration,
    'service.selectItems',
  ]);
  assert.deepEqual(await namesOf('1.1'), [
    'admin.publishSignals',
    'admin.selectSignals',
    ...integration,
    'service.dataFrame',
    'service.evaluate',
    'service.selectItems',
  ]);
  const newest = await namesOf('1.2');
  const ofConsole = newest.filter((name) => String(name).startsWith('console.'));
  assert.equal(newest.length - ofConsole.length, 12);
  const defined = methodDefinitions().map(({ name }) => name);
  assert.deepEqual(ofConsole.sort(), defined.filter((name) => name.startsWith('console.')).sort());
});
