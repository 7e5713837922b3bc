/** Credentials that are replaced, with a time in which both are good (A4), and integrations that are renamed (A5). */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, it } from 'node:test';
import type { Identity } from '#domain/identity/identity';
import { AppError } from '#model/error';
import { openIdentity } from '../../../support/identity.ts';
import { newId } from '../../../support/resources.ts';
import { type FixedClock, testAct } from '../../../support/world.ts';

const hourMs = 3_600_000;

let clock: FixedClock;
let identity: Identity;
let integration: string;

beforeEach(async () => {
  const opened = await openIdentity(9);
  identity = opened.identity;
  clock = opened.parts.clock;
  integration = (await identity.createIntegration(testAct, 'plant', [])).id;
});

afterEach(() => identity.close());

const isAccepted = async (secret: string) => (await identity.authenticateBasic(integration, secret)) !== null;

it('A4 both are accepted while they overlap, then the new one alone', async () => {
  const old = await identity.createCredential(testAct, integration, 'basic-auth', 'laptop');
  const fresh = await identity.rotateCredential(testAct, old.credential.id, hourMs);
  const { type, label, expiresAtMs } = fresh.credential;
  assert.deepEqual([type, label, expiresAtMs], ['basic-auth', 'laptop', null]);
  assert.notEqual(fresh.secret, old.secret);
  clock.advance(3599);
  assert.deepEqual([await isAccepted(old.secret), await isAccepted(fresh.secret)], [true, true]);
  clock.advance(1);
  assert.deepEqual([await isAccepted(old.secret), await isAccepted(fresh.secret)], [false, true]);
});

it('A4 tokens of a credential that was rotated end with it', async () => {
  const old = await identity.createCredential(testAct, integration, 'client-credentials', '');
  const answer = await identity.issueToken({
    clientId: old.credential.id,
    clientSecret: old.secret,
    audiences: [],
    scopes: [],
  });
  assert.ok(answer.ok);
  await identity.rotateCredential(testAct, old.credential.id, hourMs);
  assert.ok((await identity.authenticateBearer(answer.accessToken)) !== null);
  clock.advance(3600);
  assert.equal(await identity.authenticateBearer(answer.accessToken), null);
});

it('A4 an overlap never makes a credential last longer; without one it ends at once', async () => {
  const soon = Date.parse('2026-03-01T12:30:00Z');
  const short = await identity.createCredential(testAct, integration, 'basic-auth', 'short', soon);
  const renewed = await identity.rotateCredential(testAct, short.credential.id, hourMs, soon + hourMs);
  const expiries = new Map(
    (await identity.listCredentials()).map(({ id, expiresAtMs }) => [id, expiresAtMs]),
  );
  assert.equal(expiries.get(short.credential.id), soon);
  assert.equal(expiries.get(renewed.credential.id), soon + hourMs);
  const ended = await identity.rotateCredential(testAct, renewed.credential.id, 0);
  assert.deepEqual([await isAccepted(renewed.secret), await isAccepted(ended.secret)], [false, true]);
});

it('A4 a credential that is unknown or has expired cannot be rotated', async () => {
  const kindOf = (error: unknown) => (error instanceof AppError ? error.kind : error);
  const past = Date.parse('2026-03-01T11:00:00Z');
  const gone = await identity.createCredential(testAct, integration, 'basic-auth', '', past);
  const failing = [newId(), gone.credential.id].map((id) => identity.rotateCredential(testAct, id, hourMs));
  const kinds = (await Promise.allSettled(failing)).map((end) =>
    end.status === 'rejected' ? kindOf(end.reason) : 'done',
  );
  assert.deepEqual(kinds, ['not-found', 'conflict']);
  assert.equal((await identity.listCredentials()).length, 1);
});

it('A5 an integration keeps everything but its name', async () => {
  const renamed = await identity.renameIntegration(testAct, integration, 'Plant 2');
  assert.equal(renamed.name, 'Plant 2');
  assert.deepEqual(await identity.listIntegrations(), [renamed]);
  await assert.rejects(identity.renameIntegration(testAct, integration, ''));
});
