/** The gauges of a scrape are those of one moment, read once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { addThreadGauges } from '#observe/gauges';
import type { StoreFigures } from '#storage/store';

/** A store whose figures are the number of the question, and come in a later turn. */
function slowFigures() {
  const asked = { count: 0 };
  const figures = async () => {
    asked.count += 1;
    const { count } = asked;
    await nextTurn();
    return { writerQueueLength: count, readerQueueLength: count } as StoreFigures;
  };
  return { asked, figures };
}

function valuesOf(text: string): number[] {
  return [...text.matchAll(/^tidemark_store_\w+ (\d+)$/gm)].map(([, value]) => Number(value));
}

test('every metric of a list shows the figures of its own scrape, which are read once', async () => {
  const { asked, figures } = slowFigures();
  const registry = new Registry();
  addThreadGauges(registry, { figures });
  assert.deepEqual(valuesOf(await registry.metrics()), [1, 1]);
  assert.deepEqual(valuesOf(await registry.metrics()), [2, 2]);
  assert.equal(asked.count, 2);
});

test('scrapes at the same time share the figures, and a failure is not kept', async () => {
  const { asked, figures } = slowFigures();
  const registry = new Registry();
  let isBroken = false;
  addThreadGauges(registry, {
    figures: () => (isBroken ? Promise.reject(new Error('broken')) : figures()),
  });
  const texts = await Promise.all([registry.metrics(), registry.metrics()]);
  assert.deepEqual(texts.flatMap(valuesOf), [1, 1, 1, 1]);
  isBroken = true;
  await assert.rejects(registry.metrics(), /broken/);
  isBroken = false;
  assert.deepEqual(valuesOf(await registry.metrics()), [2, 2]);
  assert.equal(asked.count, 2);
});
