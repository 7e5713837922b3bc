/** How wrong passwords are counted (L4e). */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { LoginRates } from '#protocol/login-rates';

const ann = 'ann';

function wrong(rates: LoginRates, count: number, user: string, address: string): void {
  for (let i = 0; i < count; i++) rates.noteWrong(user, address);
}

it('L4e nobody waits while no password is wrong', async () => {
  const rates = new LoginRates(2);
  assert.ok(rates.isQuiet);
  assert.equal(await rates.waitS(ann, '192.0.2.1'), 0);
});

it('L4e a user name waits where it was wrong too often, and nowhere else', async () => {
  const rates = new LoginRates(2);
  wrong(rates, 1, ann, '192.0.2.1');
  assert.ok(!rates.isQuiet);
  assert.equal(await rates.waitS(ann, '192.0.2.1'), 0);
  wrong(rates, 1, ann, '192.0.2.1');
  const waitS = await rates.waitS(ann, '192.0.2.1');
  assert.ok(waitS >= 1 && waitS <= 60);
  assert.equal(await rates.waitS(ann, '192.0.2.2'), 0);
  assert.equal(await rates.waitS('bob', '192.0.2.1'), 0);
});

it('L4e an address waits after ten times as many, whatever the user names; other addresses do not', async () => {
  const rates = new LoginRates(2);
  for (let i = 0; i < 19; i++) wrong(rates, 1, `user${i}`, '192.0.2.1');
  assert.equal(await rates.waitS(ann, '192.0.2.1'), 0);
  wrong(rates, 1, 'one more', '192.0.2.1');
  assert.ok((await rates.waitS(ann, '192.0.2.1')) > 0);
  assert.equal(await rates.waitS(ann, '192.0.2.2'), 0);
});

it('L4e the addresses of one IPv6 network count as one', async () => {
  const rates = new LoginRates(1);
  wrong(rates, 1, ann, '2001:db8:1:2:3::1');
  assert.ok((await rates.waitS(ann, '2001:db8:1:2:ffff::9')) > 0);
  assert.equal(await rates.waitS(ann, '2001:db8:1:3::1'), 0);
});

it('L4e user names that are too long to be ours share a key, and take no memory', async () => {
  const rates = new LoginRates(1);
  wrong(rates, 1, 'x'.repeat(100_000), '192.0.2.1');
  assert.ok((await rates.waitS('x'.repeat(70), '192.0.2.1')) > 0);
});
