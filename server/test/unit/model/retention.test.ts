/** Rules of retention: their scopes as text, which of them wins, and from when on points are kept. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dayUs, hourUs, parseDuration } from '#model/duration';
import { parseInstant } from '#model/instant';
import {
  keptFromUs,
  keptOfAnyFromUs,
  parseScope,
  printScope,
  type RetentionRule,
  ruleFinder,
} from '#model/retention';
import { signal } from '../../support/resources.ts';

const rule = (scope: string, keep: string | null): RetentionRule => ({
  scope: parseScope(scope),
  keep: keep === null ? null : parseDuration(keep),
});

test('L5 a scope is the same after it was printed and read', () => {
  for (const text of [
    'all',
    'integration:c2mo5rac8v1dtfnta5e0',
    'label:a/b=c',
    'label:k==',
    'label:k=a:b=c',
  ]) {
    assert.equal(printScope(parseScope(text)), text);
  }
});

test('L5 a rule by label wins over one by integration, which wins over the rule for all', () => {
  const labels = new Map([['site', ['x', 'y']]]);
  const plain = signal('i', 'a');
  const labelled = { ...plain, attributes: { ...plain.attributes, labels } };
  const all = rule('all', 'P10D');
  const own = rule('integration:i', 'P1D');
  const x = rule('label:site=x', 'P2D');
  const y = rule('label:site=y', 'PT5H');
  const forEver = rule('label:site=y', null);
  const months = rule('label:site=y', 'P1M');
  const other = [rule('integration:j', null), rule('label:site=z', null), rule('label:room=x', null)];
  assert.equal(ruleFinder([])(plain), undefined);
  assert.equal(ruleFinder(other)(labelled), undefined);
  assert.equal(ruleFinder([all, ...other])(labelled), all);
  assert.equal(ruleFinder([own, all, ...other])(labelled), own);
  assert.equal(ruleFinder([own, all, x])(plain), own);
  assert.equal(ruleFinder([own, all, x])(labelled), x);
  assert.equal(ruleFinder([x, y])(labelled), x, 'of several labels the one that keeps longest');
  assert.equal(ruleFinder([x, forEver])(labelled), forEver);
  assert.equal(ruleFinder([x, months])(labelled), months);
});

test('L5a the bound is rounded to what is kept longer: to an hour, from ten days on to a day', () => {
  const bound = (keep: string, now: string) =>
    new Date(keptFromUs(parseDuration(keep), parseInstant(now)) / 1000).toISOString();
  assert.equal(bound('PT1H', '2026-03-01T12:34:56Z'), '2026-03-01T11:00:00.000Z');
  assert.equal(bound('P9D', '2026-03-10T12:34:56Z'), '2026-03-01T12:00:00.000Z');
  assert.equal(bound('P10D', '2026-03-11T12:34:56Z'), '2026-03-01T00:00:00.000Z');
  assert.equal(bound('P1M', '2026-03-31T12:34:56Z'), '2026-02-28T00:00:00.000Z');
  assert.equal(bound('P1Y', '2024-02-29T00:00:00Z'), '2023-02-28T00:00:00.000Z');
  assert.equal(bound('P14M', '2026-01-15T23:59:59Z'), '2024-11-15T00:00:00.000Z');
  for (const keep of [hourUs, dayUs, 9.5 * dayUs, 10 * dayUs, 400 * dayUs]) {
    const nowUs = parseInstant('2026-03-01T12:34:56.789Z');
    const kept = nowUs - keptFromUs({ kind: 'fixed', us: keep }, nowUs);
    assert.ok(kept >= keep && kept < keep + dayUs);
  }
});

test('L5 no point of any signal is kept before the bound of the rule that keeps longest, where each signal has a rule', () => {
  const nowUs = parseInstant('2026-03-11T12:00:00Z');
  const bound = (...rules: RetentionRule[]) => keptOfAnyFromUs(rules, nowUs);
  assert.equal(bound(), null);
  assert.equal(bound(rule('integration:i', 'P10D')), null);
  assert.equal(bound(rule('all', null)), null);
  assert.equal(bound(rule('all', 'P10D'), rule('label:site=x', null)), null);
  assert.equal(bound(rule('all', 'P10D')), parseInstant('2026-03-01T00:00:00Z'));
  assert.equal(
    bound(rule('integration:i', 'P1M'), rule('all', 'P10D')),
    parseInstant('2026-02-11T00:00:00Z'),
  );
});
