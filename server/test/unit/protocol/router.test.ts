/** The table of methods. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import Type from 'typebox';
import { defineMethod, type Method } from '#protocol/method';
import { Router } from '#protocol/router';
import { type Version, versions } from '#protocol/version';

/** A method of this name in these versions. */
function named(name: string, inVersions: readonly Version[], synonyms: string[] = []): Method {
  const params = Type.Object({});
  return defineMethod({
    name,
    synonyms,
    versions: inVersions,
    grant: null,
    summary: '',
    params,
    result: params,
    run: async () => name,
  });
}

test('W9 two definitions of a name in one version are a bug at start', () => {
  const overlapping = [
    [named('a.b', ['1.1']), named('A.B', ['1.1', '1.2'])],
    [named('a.b', ['1.1'], ['a.c']), named('a.c', ['1.1'])],
    [named('service.x', ['1.1']), named('clarify.x', ['1.1'])],
  ];
  for (const methods of overlapping)
    assert.throws(() => new Router(methods, ['service', 'clarify']), /BUG: two definitions/);
  assert.throws(() => new Router([named('service.x', ['1.1'])], ['service', 'service']), /BUG/);
});

test('W9 one name may have a definition for each version', () => {
  const router = new Router(
    versions.map((version) => named('a.b', [version])),
    ['service'],
  );
  assert.deepEqual(
    versions.map((version) => router.find('a.b', version).method.versions[0]),
    versions,
  );
});

test('W1 names that every object has are no methods', () => {
  const router = new Router([], ['service']);
  for (const name of ['__proto__', 'constructor', 'toString', ''])
    assert.throws(() => router.find(name, '1.1'), /Method not found/);
});
