/** People: set-up, signing in and out, roles, and what is refused. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { everyRow } from '#domain/audit/record';
import type { AppError } from '#model/error';
import type { SignInResult } from '#model/sign-in';
import { goodPassword, openTestPeople, place } from '../../../support/people.ts';
import { SeededRandom } from '../../../support/world.ts';

const act = { actor: 'test', origin: 'test' };
const instance = { name: 'Plant 1', timeZone: 'Europe/Oslo' };

function entered(entry: SignInResult) {
  assert.ok(entry.ok);
  return entry;
}

/** Services with one administrator, Ada. */
async function withAda() {
  const services = await openTestPeople();
  const code = services.signIns.setupCode() ?? '';
  const entry = entered(
    await services.signIns.setUp({ code, name: 'Ada', password: goodPassword, instance }, place),
  );
  return { ...services, entry, ada: services.people.named('ada') };
}

/** The problems of an invalid-params error. */
function paramsOf(error: unknown) {
  return (error as AppError).params;
}

test('A5d the set-up code makes the first administrator, and no second one', async () => {
  const services = await openTestPeople();
  const code = services.signIns.setupCode() ?? '';
  assert.match(code, /^[a-z2-9]{4}(-[a-z2-9]{4}){3}$/);
  const setUp = (given: string) =>
    services.signIns.setUp({ code: given, name: 'Ada', password: goodPassword, instance }, place);
  assert.deepEqual(await setUp('nonsense'), { ok: false, reason: 'wrong' });
  const entry = entered(await setUp(` ${code.toUpperCase()}`));
  assert.deepEqual(services.signIns.instance(), { name: 'Plant 1', color: '', timeZone: 'Europe/Oslo' });
  assert.equal(services.signIns.setupCode(), null);
  assert.equal((await services.signIns.authenticate(entry.token))?.caller.person?.role, 'admin');
  await assert.rejects(setUp(code), { kind: 'conflict' });
  assert.equal((await services.meta.people.all())[0].passwordHash.includes(goodPassword), false);
});

test('a set-up with a bad password, time zone or colour creates no person', async () => {
  const services = await openTestPeople();
  const code = services.signIns.setupCode() ?? '';
  const setUp = (change: object) =>
    services.signIns.setUp({ code, name: 'Ada', password: goodPassword, instance, ...change }, place);
  await assert.rejects(setUp({ password: 'short' }), (error) => 'password' in (paramsOf(error) ?? {}));
  await assert.rejects(
    setUp({ instance: { timeZone: 'Mars' } }),
    (error) => 'timeZone' in (paramsOf(error) ?? {}),
  );
  await assert.rejects(setUp({ instance: { color: 'red' } }), (error) => 'color' in (paramsOf(error) ?? {}));
  assert.deepEqual(services.people.list(), []);
  assert.ok((await setUp({})).ok);
});

test('A5e names match in any case; a wrong password and an unknown name have the same answer', async () => {
  const { signIns } = await withAda();
  assert.ok((await signIns.signIn('ADA', goodPassword, place)).ok);
  assert.deepEqual(await signIns.signIn('Ada', 'wrong password', place), { ok: false, reason: 'wrong' });
  assert.deepEqual(await signIns.signIn('Bob', goodPassword, place), { ok: false, reason: 'wrong' });
});

test('A5e after five wrong passwords a name has to wait, twice as long each time, from any address', async () => {
  const { signIns, clock } = await withAda();
  const far = { ...place, address: '203.0.113.5' };
  const wrong = (n: number) => signIns.signIn('Ada', 'wrong', { ...place, address: `198.51.100.${n}` });
  for (let n = 0; n < 5; n++) assert.deepEqual(await wrong(n), { ok: false, reason: 'wrong' });
  assert.deepEqual(await wrong(5), { ok: false, reason: 'throttled', retryAfterS: 1 });
  clock.advance(1);
  assert.deepEqual(await wrong(6), { ok: false, reason: 'wrong' });
  assert.deepEqual(await signIns.signIn('ada', goodPassword, far), {
    ok: false,
    reason: 'throttled',
    retryAfterS: 2,
  });
  clock.advance(2);
  assert.ok((await signIns.signIn('ada', goodPassword, far)).ok);
  assert.deepEqual(await wrong(7), { ok: false, reason: 'wrong' }, 'a right password forgets the wrong ones');
});

test('A5e guesses from elsewhere do not keep a person out of a place where there is a session already', async () => {
  const { signIns } = await withAda();
  const elsewhere = { ...place, address: '198.51.100.9' };
  for (let n = 0; n < 6; n++) await signIns.signIn('Ada', 'wrong', elsewhere);
  const away = await signIns.signIn('Ada', goodPassword, { ...place, address: '203.0.113.5' });
  assert.equal(!away.ok && away.reason, 'throttled');
  assert.ok((await signIns.signIn('Ada', goodPassword, place)).ok);
});

test('A5e a hash of another cost is replaced when its person signs in', async () => {
  const { meta } = await withAda();
  const dearer = await openTestPeople({
    meta,
    random: new SeededRandom(2),
    passwordCost: { logN: 5, r: 8, p: 1 },
  });
  const hash = async () => (await meta.people.all())[0].passwordHash;
  assert.match(await hash(), /^scrypt\$4/);
  assert.equal((await dearer.signIns.signIn('Ada', 'wrong', place)).ok, false);
  assert.match(await hash(), /^scrypt\$4/);
  assert.ok((await dearer.signIns.signIn('Ada', goodPassword, place)).ok);
  assert.match(await hash(), /^scrypt\$5/);
  assert.ok((await dearer.signIns.signIn('Ada', goodPassword, place)).ok);
});

test('A5b a password changed during a sign-in with the old one refuses that sign-in', async () => {
  const { signIns, meta } = await withAda();
  const [stored] = await meta.people.all();
  const signingIn = signIns.signIn('Ada', goodPassword, place);
  await meta.write((tx) => tx.people.update({ ...stored, passwordHash: 'scrypt$another' }));
  await assert.rejects(signingIn, { kind: 'conflict' });
  assert.equal((await meta.people.all())[0].passwordHash, 'scrypt$another');
});

test('A5b of more than fifty sessions of a person the oldest ends', async () => {
  const { signIns, entry, clock } = await withAda();
  const tokens: string[] = [];
  for (let n = 0; n < 50; n++) {
    clock.advance(1);
    tokens.push(entered(await signIns.signIn('Ada', goodPassword, place)).token);
  }
  assert.equal(await signIns.authenticate(entry.token), null);
  for (const token of tokens) assert.notEqual(await signIns.authenticate(token), null);
});

test('A5e many attempts at once gain nothing', async () => {
  const { signIns } = await withAda();
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, n) =>
      signIns.signIn('Ada', 'wrong', { ...place, address: `198.51.100.${n}` }),
    ),
  );
  assert.equal(answers.filter((answer) => !answer.ok && answer.reason === 'wrong').length, 5);
});

test('A5e an address has to wait after twenty wrong names, and its IPv6 neighbours with it', async () => {
  const { signIns } = await withAda();
  for (let n = 0; n < 20; n++)
    await signIns.signIn(`n${n}`, 'wrong', { ...place, address: `2001:db8:1:2::${n}` });
  const answer = await signIns.signIn('Ada', goodPassword, { ...place, address: '2001:db8:1:2:ffff::1' });
  assert.equal(!answer.ok && answer.reason, 'throttled');
  assert.ok((await signIns.signIn('Ada', goodPassword, place)).ok);
});

test('A5b a session ends when it is left unused, when it is old, and when it is ended', async () => {
  const { signIns, sessions, clock, entry, ada } = await withAda();
  const hours = (count: number) => clock.advance(count * 3600);
  hours(11);
  assert.ok(await signIns.authenticate(entry.token), 'used within twelve hours');
  hours(11);
  assert.ok(await signIns.authenticate(entry.token), 'and again');
  hours(13);
  assert.equal(await signIns.authenticate(entry.token), null);
  const second = entered(await signIns.signIn('Ada', goodPassword, place));
  for (let h = 0; h < 7 * 24 - 1; h++) {
    hours(1);
    assert.ok(await signIns.authenticate(second.token));
  }
  hours(1);
  assert.equal(await signIns.authenticate(second.token), null, 'seven days are the most');
  const third = entered(await signIns.signIn('Ada', goodPassword, place));
  const fourth = entered(await signIns.signIn('Ada', goodPassword, place));
  assert.deepEqual(sessions.list(ada.id).length, 2, 'only those that are alive');
  await signIns.signOut(third.token, place.address);
  assert.equal(await signIns.authenticate(third.token), null);
  assert.ok(await signIns.authenticate(fourth.token));
});

test('tokens are stored as digests; the CSRF token is another for each session, and no token', async () => {
  const { meta, entry, signIns } = await withAda();
  const [session] = await meta.sessions.all();
  assert.equal(JSON.stringify(session).includes(entry.token), false);
  assert.match(session.tokenSha256, /^[0-9a-f]{64}$/);
  assert.equal(entry.token.length, 43);
  const other = entered(await signIns.signIn('Ada', goodPassword, place));
  assert.notEqual(other.presence.csrfToken, entry.presence.csrfToken);
  assert.equal(await signIns.authenticate(entry.presence.csrfToken), null);
});

test('only an administrator may end a session of another person', async () => {
  const { people, sessions, entry, ada } = await withAda();
  const bob = await people.create(act, { name: 'Bob', password: 'a long enough one', role: 'viewer' });
  const { session = '' } = entry.presence.caller.person ?? {};
  await assert.rejects(sessions.end(act, session, bob.id), { kind: 'not-found' });
  await sessions.end(act, session, null);
  assert.deepEqual(sessions.list(ada.id), []);
});

test('A5a there is always an administrator: the last one is neither removed nor made a viewer', async () => {
  const { people, ada } = await withAda();
  await assert.rejects(people.remove(act, ada.id), { kind: 'conflict' });
  await assert.rejects(people.update(act, ada.id, { role: 'viewer' }), { kind: 'conflict' });
  const bob = await people.create(act, { name: 'Bob', password: 'a long enough one', role: 'admin' });
  await people.update(act, ada.id, { role: 'viewer' });
  await assert.rejects(people.remove(act, bob.id), { kind: 'conflict' });
  await people.remove(act, ada.id);
  assert.deepEqual(
    people.list().map(({ name }) => name),
    ['Bob'],
  );
});

test('a name is taken in any case', async () => {
  const { people } = await withAda();
  await assert.rejects(people.create(act, { name: 'ADA', password: 'a long enough one', role: 'viewer' }), {
    kind: 'conflict',
  });
});

test('A5b another password ends the other sessions, and needs the old one', async () => {
  const { people, signIns, entry, ada } = await withAda();
  const other = entered(await signIns.signIn('Ada', goodPassword, place));
  const { session = '' } = entry.presence.caller.person ?? {};
  const change = (current: string, next: string) =>
    people.changePassword(act, { id: ada.id, session, current, next });
  await assert.rejects(
    change('wrong', 'staple your own paper'),
    (error) => 'current' in (paramsOf(error) ?? {}),
  );
  await assert.rejects(change(goodPassword, 'short'), (error) => 'next' in (paramsOf(error) ?? {}));
  await change(goodPassword, 'staple your own paper');
  assert.ok(await signIns.authenticate(entry.token));
  assert.equal(await signIns.authenticate(other.token), null);
  assert.equal((await signIns.signIn('Ada', goodPassword, place)).ok, false);
  assert.ok((await signIns.signIn('Ada', 'staple your own paper', place)).ok);
});

test('who is removed is out at once', async () => {
  const { people, signIns } = await withAda();
  const bob = await people.create(act, { name: 'Bob', password: 'a long enough one', role: 'viewer' });
  const { token } = entered(await signIns.signIn('Bob', 'a long enough one', place));
  assert.equal((await signIns.authenticate(token))?.caller.person?.role, 'viewer');
  await people.update(act, bob.id, { role: 'admin' });
  assert.equal((await signIns.authenticate(token))?.caller.person?.role, 'admin');
  await people.remove(act, bob.id);
  assert.equal(await signIns.authenticate(token), null);
});

test('L4a every act is in the audit, without a secret', async () => {
  const { people, meta, ada } = await withAda();
  await people.update(act, ada.id, { password: 'staple your own paper' });
  const rows = await meta.audit.list({ ...everyRow, limit: 100 });
  assert.deepEqual(
    rows.map(({ action }) => action),
    ['person.create', 'session.begin', 'person.update'],
  );
  assert.equal(/scrypt|staple|horse/.test(JSON.stringify(rows)), false);
});

test('A5e a clock that is set back an hour lengthens no wait', async () => {
  const { signIns, people, clock } = await openTestPeople();
  await people.create(act, { name: 'Ada', password: goodPassword, role: 'admin' });
  for (let i = 0; i < 5; i++) await signIns.signIn('Ada', 'wrong', place);
  clock.setBack(3600);
  const throttled = await signIns.signIn('Ada', goodPassword, place);
  assert.deepEqual(throttled, { ok: false, reason: 'throttled', retryAfterS: 1 });
  clock.advance(1);
  assert.ok((await signIns.signIn('Ada', goodPassword, place)).ok);
});

test('A5e wrong passwords at a change of password have to wait, right ones begin anew', async () => {
  const { people, clock } = await openTestPeople();
  const { id } = await people.create(act, { name: 'Ada', password: goodPassword, role: 'admin' });
  const change = (current: string) =>
    people.changePassword(act, { id, session: 's', current, next: `${goodPassword}!` });
  for (let i = 0; i < 5; i++) await assert.rejects(change('wrong'), { kind: 'invalid-params' });
  await assert.rejects(change(goodPassword), { kind: 'try-again', message: /try again in 1 s/ });
  clock.advance(1);
  await change(goodPassword);
  await assert.rejects(change('wrong'), { kind: 'invalid-params' });
});
