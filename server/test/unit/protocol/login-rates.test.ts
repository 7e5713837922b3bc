/** How wrong secrets are counted (L4e). */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { LoginRates } from '#protocol/login-rates';

const ann = 'ann';

function ratesOf(wrongLoginsPerMinute: number): LoginRates {
  return new LoginRates({ wrongLoginsPerMinute });
}

function wrong(rates: LoginRates, count: number, user: string, address: string): void {
  for (let i = 0; i < count; i++) rates.noteWrong(user, address);
}

it('L4e nobody waits while no secret is wrong', () => {
  assert.equal(ratesOf(2).refusal(ann, '192.0.2.1'), null);
});

it('L4e a name waits where it was wrong too often, and nowhere else', () => {
  const rates = ratesOf(2);
  wrong(rates, 1, ann, '192.0.2.1');
  assert.equal(rates.refusal(ann, '192.0.2.1'), null);
  wrong(rates, 1, ann, '192.0.2.1');
  const { resetS, ...rest } = rates.refusal(ann, '192.0.2.1')!;
  assert.ok(resetS >= 1 && resetS <= 60);
  assert.deepEqual(rest, { policy: 'login', quota: 2, windowS: 60, left: 0 });
  assert.equal(rates.refusal(ann, '192.0.2.2'), null);
  assert.equal(rates.refusal('bob', '192.0.2.1'), null);
});

it('L4e an address waits after ten times as many, whatever the names; other addresses do not', () => {
  const rates = ratesOf(2);
  for (let i = 0; i < 19; i++) wrong(rates, 1, `user${i}`, '192.0.2.1');
  assert.equal(rates.refusal(ann, '192.0.2.1'), null);
  wrong(rates, 1, 'one more', '192.0.2.1');
  assert.notEqual(rates.refusal(ann, '192.0.2.1'), null);
  assert.equal(rates.refusal(ann, '192.0.2.2'), null);
});

it('L4e the addresses of one IPv6 network count as one', () => {
  const rates = ratesOf(1);
  wrong(rates, 1, ann, '2001:db8:1:2:3::1');
  assert.notEqual(rates.refusal(ann, '2001:db8:1:2:ffff::9'), null);
  assert.equal(rates.refusal(ann, '2001:db8:1:3::1'), null);
});

it('L4e names that are too long to be ours share a key, and take no memory', () => {
  const rates = ratesOf(1);
  wrong(rates, 1, 'x'.repeat(100_000), '192.0.2.1');
  assert.notEqual(rates.refusal('x'.repeat(70), '192.0.2.1'), null);
});

it('L4e a limit that is changed while it runs holds at once', () => {
  const limits = { wrongLoginsPerMinute: 2 };
  const rates = new LoginRates(limits);
  wrong(rates, 2, ann, '192.0.2.1');
  limits.wrongLoginsPerMinute = 3;
  assert.equal(rates.refusal(ann, '192.0.2.1'), null);
});
