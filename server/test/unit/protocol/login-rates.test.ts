/** How wrong secrets are counted (A2, L4e). */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type LoginAttempt, LoginRates } from '#protocol/login-rates';
import { soleCoordination } from '#threads/coordination';
import { FixedClock } from '../../support/world.ts';

const clock = new FixedClock();

function ratesOf(wrongLoginsPerMinute: number): LoginRates {
  return new LoginRates({ wrongLoginsPerMinute }, clock, soleCoordination(clock));
}

/** An attempt of Ann with a wrong password. */
function attempt(changes: Partial<LoginAttempt> = {}): LoginAttempt {
  return { name: 'ann', secret: 'wrong', address: '192.0.2.1', isTokenRequest: false, ...changes };
}

function wrong(rates: LoginRates, count: number, one: LoginAttempt): void {
  for (let i = 0; i < count; i++) rates.noteWrong(one);
}

/** As many names as there are wrong secrets. */
function wrongOfAll(rates: LoginRates, count: number, one: LoginAttempt): void {
  for (let i = 0; i < count; i++) rates.noteWrong({ ...one, name: `${one.name}${i}` });
}

it('L4e no attempt waits while no secret is wrong', () => {
  assert.equal(ratesOf(2).refusal(attempt()), null);
});

it('L4e a name waits where it was wrong too often, and nowhere else', () => {
  const rates = ratesOf(2);
  wrong(rates, 1, attempt());
  assert.equal(rates.refusal(attempt()), null);
  wrong(rates, 1, attempt());
  const rate = { policy: 'login', quota: 2, windowS: 60, left: 0, resetS: 60 };
  assert.deepEqual(rates.refusal(attempt()), rate);
  assert.equal(rates.refusal(attempt({ address: '192.0.2.2' })), null);
  assert.equal(rates.refusal(attempt({ name: 'bob' })), null);
  clock.advance(60);
  assert.equal(rates.refusal(attempt()), null);
});

it('L4e an address waits after ten times as many, whatever the names; other addresses do not', () => {
  const rates = ratesOf(2);
  wrongOfAll(rates, 19, attempt({ name: 'user' }));
  assert.equal(rates.refusal(attempt()), null);
  wrong(rates, 1, attempt({ name: 'one more' }));
  assert.notEqual(rates.refusal(attempt()), null);
  assert.equal(rates.refusal(attempt({ address: '192.0.2.2' })), null);
});

it('A2 at the token endpoint an address waits after three times as many; its passwords do not', () => {
  const rates = ratesOf(2);
  wrongOfAll(rates, 5, attempt({ name: 'client', isTokenRequest: true }));
  assert.equal(rates.refusal(attempt({ isTokenRequest: true })), null);
  wrong(rates, 1, attempt({ name: 'one more', isTokenRequest: true }));
  assert.notEqual(rates.refusal(attempt({ isTokenRequest: true })), null);
  assert.equal(rates.refusal(attempt()), null);
});

it('L4e a secret that was correct at an address is accepted there, even after wrong ones', () => {
  const rates = ratesOf(2);
  const right = attempt({ secret: 'right' });
  rates.noteRight(right);
  wrong(rates, 2, attempt());
  wrongOfAll(rates, 100, attempt({ name: 'user' }));
  assert.equal(rates.refusal(right), null);
  assert.notEqual(rates.refusal(attempt()), null, 'guesses wait');
  assert.notEqual(rates.refusal(attempt({ secret: 'right', name: 'ann0' })), null, 'another name waits');
});

it('L4e a secret that is no longer right waits as any other', () => {
  const rates = ratesOf(2);
  const revoked = attempt({ secret: 'right' });
  rates.noteRight(revoked);
  wrong(rates, 2, revoked);
  assert.notEqual(rates.refusal(revoked), null);
});

it('L4e the addresses of one IPv6 network count as one', () => {
  const rates = ratesOf(1);
  wrong(rates, 1, attempt({ address: '2001:db8:1:2:3::1' }));
  assert.notEqual(rates.refusal(attempt({ address: '2001:db8:1:2:ffff::9' })), null);
  assert.equal(rates.refusal(attempt({ address: '2001:db8:1:3::1' })), null);
});

it('L4e names that are too long to be ours share a key, and take no memory', () => {
  const rates = ratesOf(1);
  wrong(rates, 1, attempt({ name: 'x'.repeat(100_000) }));
  assert.notEqual(rates.refusal(attempt({ name: 'x'.repeat(70) })), null);
});

it('L4e a limit that is changed while it runs holds at once', () => {
  const limits = { wrongLoginsPerMinute: 2 };
  const rates = new LoginRates(limits, clock, soleCoordination(clock));
  wrong(rates, 2, attempt());
  limits.wrongLoginsPerMinute = 3;
  assert.equal(rates.refusal(attempt()), null);
});
