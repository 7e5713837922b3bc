/** Credentials, grants and tokens (A1-A5) on the memory store, with a clock that is moved. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { decodeJwt, decodeProtectedHeader, SignJWT } from 'jose';
import { everyRow } from '#domain/audit/record';
import { apiUrlOf, credentialsFile } from '#domain/identity/credentials-file';
import { Identity } from '#domain/identity/identity';
import type { Caller, Grant } from '#model/caller';
import { AppError, type Kind } from '#model/error';
import { apiUrl, type IdentityParts, openIdentity, tokenTtlS } from '../../../support/identity.ts';
import { newId, signal } from '../../../support/resources.ts';
import { type KeptLog, testAct } from '../../../support/world.ts';

let options: IdentityParts;
let meta: IdentityParts['meta'];
let clock: IdentityParts['clock'];
let identity: Identity;

beforeEach(async () => {
  ({ identity, parts: options } = await openIdentity(3));
  ({ meta, clock } = options);
});

afterEach(() => identity.close());

function fails(kind: Kind): (error: unknown) => boolean {
  return (error) => error instanceof AppError && error.kind === kind;
}

/** An integration with a credential and a token. */
async function client(grants: Grant[] = []) {
  const { id: integration } = await identity.createIntegration(testAct, 'plant', grants);
  const { credential, secret } = await identity.createCredential(
    testAct,
    integration,
    'client-credentials',
    'laptop',
  );
  return {
    integration,
    credential,
    secret,
    clientId: credential.id,
    token: await tokenOf(credential.id, secret),
  };
}

async function tokenOf(clientId: string, clientSecret: string): Promise<string> {
  const answer = await identity.issueToken({ clientId, clientSecret, audiences: [], scopes: [] });
  assert.ok(answer.ok, 'a token was expected');
  return answer.accessToken;
}

async function bearer(token: string, at: Identity = identity): Promise<Caller | null> {
  return at.authenticateBearer(token);
}

function printed(caller: Caller | null): unknown {
  return caller === null ? null : { ...caller, grants: [...caller.grants].sort() };
}

describe('Basic', () => {
  it('A1 the integration and one of its passwords', async () => {
    const { id } = await identity.createIntegration(testAct, 'plant', ['service']);
    const first = await identity.createCredential(testAct, id, 'basic-auth', 'one');
    const second = await identity.createCredential(testAct, id, 'basic-auth', 'two');
    for (const { credential, secret } of [first, second]) {
      assert.deepEqual(printed(await identity.authenticateBasic(id, secret)), {
        integration: id,
        credential: credential.id,
        grants: ['integration', 'service'],
      });
    }
    assert.equal(await identity.authenticateBasic(id, `${first.secret}x`), null);
    assert.equal(await identity.authenticateBasic(id, ''), null);
    assert.equal(await identity.authenticateBasic(newId(), first.secret), null);
    assert.equal(await identity.authenticateBasic(first.credential.id, first.secret), null);
    assert.equal(await identity.authenticateBasic('__proto__', first.secret), null);
  });

  it('A1 a client secret is no password', async () => {
    const { integration, secret, clientId } = await client();
    assert.equal(await identity.authenticateBasic(integration, secret), null);
    assert.equal(await identity.authenticateBasic(clientId, secret), null);
  });

  it('A4 ends with the credential', async () => {
    const { id } = await identity.createIntegration(testAct, 'plant', []);
    const expiresAtMs = Math.floor(clock.nowUs() / 1000) + 60_000;
    const { secret } = await identity.createCredential(testAct, id, 'basic-auth', '', expiresAtMs);
    const { credential, secret: other } = await identity.createCredential(testAct, id, 'basic-auth', '');
    assert.notEqual(await identity.authenticateBasic(id, secret), null);
    clock.advance(60);
    assert.equal(await identity.authenticateBasic(id, secret), null);
    assert.notEqual(await identity.authenticateBasic(id, other), null);
    await identity.revokeCredential(testAct, credential.id);
    assert.equal(await identity.authenticateBasic(id, other), null);
  });
});

describe('tokens', () => {
  it('A1 exactly these claims', async () => {
    const { token, integration, clientId } = await client(['service', 'admin']);
    const nowS = clock.nowUs() / 1e6;
    assert.deepEqual(decodeJwt(token), {
      iss: 'https://tide.example',
      sub: `${clientId}@clients`,
      aud: apiUrl,
      iat: nowS,
      exp: nowS + tokenTtlS,
      scope: 'invoke:integration,invoke:admin,invoke:service',
      integration,
    });
    const { alg, typ, kid, ...others } = decodeProtectedHeader(token);
    assert.deepEqual([alg, typ, typeof kid, others], ['HS256', 'JWT', 'string', {}]);
    assert.deepEqual(printed(await bearer(token)), {
      integration,
      credential: clientId,
      grants: ['admin', 'integration', 'service'],
    });
  });

  it('A2 the audience is this service, with or without its slash; absent it is too; another one is invalid_target', async () => {
    const { clientId, secret: clientSecret } = await client();
    const ask = async (...audiences: string[]) => {
      const answer = await identity.issueToken({ clientId, clientSecret, audiences, scopes: [] });
      return answer.ok ? [answer.scopes.join(), answer.expiresInS] : answer.error;
    };
    const given = ['invoke:integration', tokenTtlS];
    assert.deepEqual(await ask(), given);
    assert.deepEqual(await ask(apiUrl), given);
    assert.deepEqual(await ask(apiUrl.slice(0, -1), apiUrl), given);
    assert.equal(await ask('https://other.example/v1/'), 'invalid_target');
    assert.equal(await ask(apiUrl, 'https://other.example/v1/'), 'invalid_target');
    assert.equal(await ask(`${apiUrl}/`), 'invalid_target');
  });

  it('A2 further audiences are those that are configured', async () => {
    const { clientId, secret: clientSecret } = await client();
    const audiences = ['https://old.example/v1/', 'urn:tide'];
    const open = await Identity.open({ ...options, audiences });
    for (const audience of [...audiences, 'https://old.example/v1']) {
      const answer = await open.issueToken({ clientId, clientSecret, audiences: [audience], scopes: [] });
      assert.ok(answer.ok, audience);
      assert.notEqual(await bearer(answer.accessToken), null);
    }
    await open.close();
  });

  it('A2 a requested scope narrows the token to those of its grants', async () => {
    const { clientId, secret: clientSecret, integration } = await client(['admin']);
    const ask = async (...scopes: string[]) => {
      const answer = await identity.issueToken({ clientId, clientSecret, audiences: [], scopes });
      if (!answer.ok) return answer.error;
      const caller = await bearer(answer.accessToken);
      assert.deepEqual(caller?.integration, integration);
      assert.deepEqual(
        [...caller.grants].map((grant) => `invoke:${grant}`).sort(),
        [...answer.scopes].sort(),
      );
      return answer.scopes.join();
    };
    assert.equal(await ask(), 'invoke:integration,invoke:admin');
    assert.equal(await ask('invoke:admin'), 'invoke:admin');
    assert.equal(await ask('invoke:service', 'invoke:integration'), 'invoke:integration');
    assert.equal(await ask('invoke:service'), 'invalid_scope');
    assert.equal(await ask('invoke:admin', 'openid'), 'invalid_scope');
    assert.equal(await ask('invoke:console'), 'invalid_scope');
  });

  it('A2 an unknown client, a wrong secret, and a password are invalid_client, whatever the audience', async () => {
    const { clientId, secret, integration } = await client();
    const basic = await identity.createCredential(testAct, integration, 'basic-auth', '');
    const wrong: [string, string][] = [
      [newId(), secret],
      ['', ''],
      [clientId, `${secret}x`],
      [clientId, ''],
      [integration, secret],
      [basic.credential.id, basic.secret],
      [integration, basic.secret],
    ];
    for (const [id, clientSecret] of wrong) {
      for (const audiences of [[apiUrl], ['https://other.example/'], []]) {
        const answer = await identity.issueToken({ clientId: id, clientSecret, audiences, scopes: [] });
        assert.equal(!answer.ok && answer.error, 'invalid_client');
      }
    }
  });

  it('A1 a token ends at its time, also where it was verified before', async () => {
    const { token } = await client();
    assert.notEqual(await bearer(token), null);
    clock.advance(tokenTtlS - 1);
    assert.notEqual(await bearer(token), null);
    clock.advance(1);
    assert.equal(await bearer(token), null);
    const fresh = await Identity.open(options);
    assert.equal(await bearer(token, fresh), null);
    await fresh.close();
  });

  it('A1 a changed token is refused', async () => {
    const { token } = await client();
    const [header, payload, signature] = token.split('.');
    const other = (text: string) => (text.startsWith('A') ? 'B' : 'A') + text.slice(1);
    const claims = { ...decodeJwt(token), scope: 'invoke:integration,invoke:admin' };
    const raised = Buffer.from(JSON.stringify(claims)).toString('base64url');
    const none = Buffer.from(JSON.stringify({ alg: 'none', typ: 'JWT' })).toString('base64url');
    const wrong = [
      `${header}.${payload}.${other(signature)}`,
      `${header}.${raised}.${signature}`,
      `${header}.${payload}.`,
      `${none}.${payload}.`,
      `${none}.${payload}.${signature}`,
      `${header}.${payload}`,
      `${token}.`,
      ` ${token}`,
      token.slice(0, -1),
      '',
      '..',
      'x'.repeat(100_000),
    ];
    for (const one of wrong) assert.equal(await bearer(one), null, one.slice(0, 300));
    assert.notEqual(await bearer(token), null);
  });

  it('A1 only our algorithm, key, issuer and audience, and all our claims', async () => {
    const { token } = await client();
    const claims = decodeJwt(token);
    const [{ id: kid, secret }] = await meta.signingKeys.all();
    const key = Buffer.from(secret, 'hex');
    const sign = (changes: object, header: object = {}, signing = key) =>
      new SignJWT({ ...claims, ...changes })
        .setProtectedHeader({ alg: 'HS256', kid, ...header })
        .sign(signing);
    assert.notEqual(await bearer(await sign({})), null, 'the way of signing is right');
    const long = Buffer.alloc(64, 1);
    const wrong = [
      sign({}, {}, Buffer.alloc(32, 1)),
      sign({}, { alg: 'HS512' }, Buffer.concat([key, key])),
      sign({}, { alg: 'HS384' }, long),
      sign({}, { kid: 'other' }),
      sign({}, { kid: '__proto__' }),
      sign({}, { kid: undefined }),
      sign({ iss: 'https://other.example' }),
      sign({ aud: 'https://other.example/v1/' }),
      sign({ aud: undefined }),
      sign({ exp: undefined }),
      sign({ exp: Number(claims.iat) - 1 }),
      sign({ nbf: Number(claims.iat) + 60 }),
      sign({ sub: newId() }),
      sign({ sub: `${newId()}@clients` }),
      sign({ integration: newId() }),
      sign({ integration: 5 }),
      sign({ scope: ['invoke:integration'] }),
      sign({ scope: undefined }),
    ];
    for (const [i, one] of wrong.entries()) assert.equal(await bearer(await one), null, `token ${i}`);
  });

  it('A1 revoking the credential ends its tokens, and no others', async () => {
    const { token, clientId, integration } = await client();
    const other = await identity.createCredential(testAct, integration, 'client-credentials', '');
    const otherToken = await tokenOf(other.credential.id, other.secret);
    assert.notEqual(await bearer(token), null);
    await identity.revokeCredential(testAct, clientId);
    assert.equal(await bearer(token), null);
    assert.notEqual(await bearer(otherToken), null);
  });

  it('A1 another process that revokes is heard of', async () => {
    const { token, clientId } = await client();
    assert.notEqual(await bearer(token), null);
    const elsewhere = await Identity.open(options);
    await elsewhere.revokeCredential(testAct, clientId);
    await elsewhere.close();
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(await bearer(token), null);
  });

  it('A5 a grant that is taken ends at once; one that is given is for new tokens', async () => {
    const { token, integration, clientId, secret } = await client(['admin']);
    const grants = async (of: string) => [...((await bearer(of))?.grants ?? [])].sort();
    assert.deepEqual(await grants(token), ['admin', 'integration']);
    await identity.revokeGrant(testAct, integration, 'admin');
    assert.deepEqual(await grants(token), ['integration']);
    await identity.grant(testAct, integration, 'service');
    assert.deepEqual(await grants(token), ['integration']);
    assert.deepEqual(await grants(await tokenOf(clientId, secret)), ['integration', 'service']);
  });

  it('A1 deleting the integration ends its tokens', async () => {
    const { token, integration } = await client();
    await meta.write((tx) => tx.signals.insert([signal(integration, 'x')]));
    const [{ number }] = await meta.signals.byInput(integration, ['x']);
    assert.deepEqual(await identity.deleteIntegration(testAct, integration), [number]);
    assert.equal(await bearer(token), null);
  });
});

describe('signing keys', () => {
  it('A1 a new key signs; the one before verifies until its tokens have expired, then it goes', async () => {
    const { token, clientId, secret } = await client();
    await identity.rotateSigningKey(testAct);
    const newer = await tokenOf(clientId, secret);
    assert.notEqual(decodeProtectedHeader(newer).kid, decodeProtectedHeader(token).kid);
    assert.notEqual(await bearer(token), null);
    assert.notEqual(await bearer(newer), null);
    await identity.rotateSigningKey(testAct);
    assert.equal((await meta.signingKeys.all()).length, 3);
    clock.advance(tokenTtlS + 61);
    await identity.rotateSigningKey(testAct);
    const kept = (await meta.signingKeys.all()).length;
    assert.equal(kept, 2, 'the one that signed until now, and the new one');
    assert.notEqual(await bearer(await tokenOf(clientId, secret)), null);
  });

  it('A1 a token of a deleted key is refused, also where it was verified before', async () => {
    const { token } = await client();
    assert.notEqual(await bearer(token), null);
    const [{ id }] = await meta.signingKeys.all();
    await identity.rotateSigningKey(testAct);
    await meta.write((tx) => tx.signingKeys.delete(id));
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(await bearer(token), null);
  });

  it('A1 the first start makes one key, the next ones none', async () => {
    const [{ secret }] = await meta.signingKeys.all();
    assert.match(secret, /^[0-9a-f]{64}$/);
    const others = await Promise.all([Identity.open(options), Identity.open(options)]);
    assert.equal((await meta.signingKeys.all()).length, 1);
    for (const other of others) await other.close();
  });
});

describe('administration', () => {
  it('A4 secrets are 256 random bits, and only their SHA-256 is stored', async () => {
    const { secret, credential } = await client();
    assert.match(secret, /^[A-Za-z0-9_-]{43}$/);
    const digest = createHash('sha256').update(secret).digest('hex');
    const [stored] = await meta.credentials.all();
    assert.deepEqual(stored, { ...credential, secretSha256: digest, lastUsedAtMs: stored.lastUsedAtMs });
    assert.ok(!JSON.stringify(await meta.credentials.all()).includes(secret));
  });

  it('A4 the last use is noted, at most once a minute', async () => {
    const { integration, token } = await client();
    const startMs = clock.nowUs() / 1000;
    const used = async () => {
      await new Promise((resolve) => setImmediate(resolve));
      return (await identity.listCredentials(integration))[0].lastUsedAtMs;
    };
    assert.equal(await used(), startMs);
    clock.advance(59);
    await bearer(token);
    assert.equal(await used(), startMs);
    clock.advance(1);
    await bearer(token);
    assert.equal(await used(), startMs + 60_000);
  });

  it('A4 where the last use came from is noted with it', async () => {
    const { integration, token } = await client();
    clock.advance(60);
    const userAgent = `Telegraf/1.30 ${'x'.repeat(300)}\ud800`;
    await identity.authenticateBearer(token, { address: '2001:db8::1', userAgent, traceId: 'f'.repeat(32) });
    await new Promise((resolve) => setImmediate(resolve));
    const [{ lastUsedFrom }] = await identity.listCredentials(integration);
    assert.deepEqual(lastUsedFrom, { address: '2001:db8::1', userAgent: userAgent.slice(0, 256) });
  });

  it('A4 a connection test is noted as the last use, but the integration is not seen by it', async () => {
    const { id: integration } = await identity.createIntegration(testAct, 'plant', []);
    const made = await identity.createCredential(testAct, integration, 'basic-auth', 'PLC');
    const use = async (userAgent: string) => {
      const from = { address: '::1', userAgent, traceId: 'f'.repeat(32) };
      await identity.authenticateBasic(integration, made.secret, from);
      await new Promise((resolve) => setImmediate(resolve));
      const [{ lastUsedFrom }] = await identity.listCredentials(integration);
      return [lastUsedFrom?.userAgent, (await meta.integrations.lastSeen()).get(integration)];
    };
    const startMs = clock.nowUs() / 1000;
    assert.deepEqual(await use('connection-test Firefox'), ['connection-test Firefox', undefined]);
    clock.advance(1);
    assert.deepEqual(await use('Telegraf'), ['Telegraf', startMs + 1000], 'a test hides no program');
    clock.advance(60);
    assert.deepEqual(await use('connection-test'), ['connection-test', startMs + 1000]);
    await identity.revokeCredential(testAct, made.credential.id);
    assert.equal(
      (await meta.integrations.lastSeen()).get(integration),
      startMs + 1000,
      'also without the credential',
    );
  });

  it('A4 a use that cannot be noted fails no request', async () => {
    const { token } = await client();
    const log = options.log as KeptLog;
    clock.advance(120);
    meta.write = () => Promise.reject(new Error('disk full'));
    assert.notEqual(await bearer(token), null);
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(
      log.lines.map(({ level }) => level),
      ['warn'],
    );
  });

  it('A5 grants are given and taken once each; the own namespace cannot be taken', async () => {
    const { id } = await identity.createIntegration(testAct, 'plant', ['integration', 'service', 'service']);
    const grants = async () => (await identity.listIntegrations()).find((one) => one.id === id)?.grants;
    assert.deepEqual(await grants(), ['service']);
    await identity.grant(testAct, id, 'admin');
    await identity.grant(testAct, id, 'admin');
    await identity.grant(testAct, id, 'integration');
    assert.deepEqual(await grants(), ['service', 'admin']);
    assert.deepEqual((await identity.revokeGrant(testAct, id, 'service')).grants, ['admin']);
    await identity.revokeGrant(testAct, id, 'service');
    assert.deepEqual(await grants(), ['admin']);
    await assert.rejects(identity.revokeGrant(testAct, id, 'integration'), fails('invalid-params'));
  });

  it('A4 what does not exist is not found', async () => {
    await assert.rejects(identity.grant(testAct, newId(), 'admin'), fails('not-found'));
    await assert.rejects(identity.revokeGrant(testAct, newId(), 'admin'), fails('not-found'));
    await assert.rejects(identity.deleteIntegration(testAct, newId()), fails('not-found'));
    await assert.rejects(identity.createCredential(testAct, newId(), 'basic-auth', ''), fails('not-found'));
    await assert.rejects(identity.revokeCredential(testAct, newId()), fails('not-found'));
    assert.deepEqual(await meta.credentials.all(), []);
  });

  it('R2 names are 1 to 128 characters, labels at most 128', async () => {
    for (const name of ['', 'x'.repeat(129), 'a\0', '\ud800']) {
      await assert.rejects(identity.createIntegration(testAct, name, []), fails('invalid-params'));
    }
    const { id } = await identity.createIntegration(testAct, '\u{1f600}'.repeat(128), []);
    await assert.rejects(
      identity.createCredential(testAct, id, 'basic-auth', 'x'.repeat(129)),
      fails('invalid-params'),
    );
  });

  it('A4 lists are oldest first', async () => {
    const made: string[] = [];
    for (const name of ['c', 'a', 'b']) {
      made.push((await identity.createIntegration(testAct, name, [])).id);
      clock.advance(1);
    }
    assert.deepEqual(
      (await identity.listIntegrations()).map(({ id }) => id),
      made,
    );
    const credentials: string[] = [];
    for (const id of [made[2], made[0], made[2]]) {
      credentials.push((await identity.createCredential(testAct, id, 'basic-auth', '')).credential.id);
      clock.advance(1);
    }
    assert.deepEqual(
      (await identity.listCredentials()).map(({ id }) => id),
      credentials,
    );
    assert.deepEqual(
      (await identity.listCredentials(made[2])).map(({ id }) => id),
      [credentials[0], credentials[2]],
    );
  });
});

describe('credentials file', () => {
  it('A4 exactly these members', async () => {
    const { integration, credential, secret, clientId } = await client();
    assert.deepEqual(credentialsFile(apiUrl, credential, secret), {
      apiUrl,
      integration,
      credentials: { type: 'client-credentials', clientId, clientSecret: secret },
    });
    const basic = await identity.createCredential(testAct, integration, 'basic-auth', '');
    assert.deepEqual(credentialsFile(apiUrl, basic.credential, basic.secret), {
      apiUrl,
      integration,
      credentials: { type: 'basic-auth', clientId: integration, clientSecret: basic.secret },
    });
  });

  for (const base of ['https://tide.example', 'https://tide.example/', 'https://tide.example//']) {
    it(`A4 the API address under ${base} ends in /v1/`, () => {
      assert.equal(apiUrlOf(base), apiUrl);
    });
  }
});

describe('a disabled integration', () => {
  const disabled = (error: unknown) =>
    error instanceof AppError && error.kind === 'unauthenticated' && /is disabled/.test(error.message);

  it('A1b is refused by password, token and client secret, and accepted again when it is enabled', async () => {
    const { integration, clientId, secret, token } = await client();
    const basic = await identity.createCredential(testAct, integration, 'basic-auth', 'plc');
    const other = await client();
    await identity.setDisabled(testAct, integration, true);
    await assert.rejects(async () => identity.authenticateBasic(integration, basic.secret), disabled);
    await assert.rejects(bearer(token), disabled);
    const answer = await identity.issueToken({ clientId, clientSecret: secret, audiences: [], scopes: [] });
    assert.ok(!answer.ok && answer.error === 'invalid_client' && /is disabled/.test(answer.description));
    assert.ok((await bearer(other.token)) !== null, 'others are not concerned');
    assert.equal(
      await identity.authenticateBasic(integration, 'wrong'),
      null,
      'the reason is only given with the right secret',
    );
    await identity.setDisabled(testAct, integration, false);
    assert.ok((await identity.authenticateBasic(integration, basic.secret)) !== null);
    assert.ok((await bearer(token)) !== null);
  });

  it('A1b is known as such from when it was disabled first; each change is in the audit once', async () => {
    const { integration } = await client();
    const nowMs = clock.nowUs() / 1000;
    await identity.setDisabled(testAct, integration, true);
    clock.advance(60);
    const again = await identity.setDisabled(testAct, integration, true);
    assert.equal(again.disabledAtMs, nowMs);
    await identity.renameIntegration(testAct, integration, 'new');
    assert.equal((await identity.listIntegrations()).at(-1)?.disabledAtMs, nowMs);
    await identity.setDisabled(testAct, integration, false);
    const rows = (await meta.audit.list({ ...everyRow, limit: 100 })).filter(
      ({ target }) => target === integration,
    );
    assert.deepEqual(
      rows.slice(1).map(({ action, change }) => [action, change]),
      [
        ['integration.disable', '{"disabled":[null,true]}'],
        ['integration.rename', '{"name":["plant","new"]}'],
        ['integration.enable', '{"disabled":[true,null]}'],
      ],
    );
    await assert.rejects(identity.setDisabled(testAct, newId(), true), fails('not-found'));
  });

  it('A1b in another process it is disabled as soon as that hears of it', async () => {
    const other = await Identity.open(options);
    const { integration, token } = await client();
    await other.setDisabled(testAct, integration, true);
    await new Promise((resolve) => setImmediate(resolve));
    await assert.rejects(bearer(token), disabled);
    await other.close();
  });
});

describe('refusals', () => {
  it('L4e refusals of existing integrations are reported with reason and address', async () => {
    const reported: string[] = [];
    await identity.close();
    identity = await Identity.open({
      ...options,
      onRefused: (integration, why, { address }) => reported.push(`${integration} ${why} ${address}`),
    });
    const from = { address: '192.0.2.1', userAgent: '', traceId: '' };
    const { integration, clientId, secret, token, credential } = await client();
    const basic = await identity.createCredential(testAct, integration, 'basic-auth', '', nowMs() + 1000);
    await identity.authenticateBasic(integration, 'wrong', from);
    await identity.authenticateBasic(newId(), 'wrong', from);
    await identity.issueToken({ clientId, clientSecret: 'wrong', audiences: [], scopes: [] }, from);
    await identity.issueToken({ clientId: newId(), clientSecret: secret, audiences: [], scopes: [] }, from);
    clock.advance(2);
    await identity.authenticateBasic(integration, basic.secret, from);
    await identity.revokeCredential(testAct, credential.id);
    await identity.authenticateBearer(token, from);
    await identity.authenticateBearer('not a token', from);
    const each = (why: string) => `${integration} ${why} 192.0.2.1`;
    assert.deepEqual(reported, [
      each('Wrong password'),
      each('Wrong client secret'),
      each('The credential has expired'),
      each('The credential of the token is revoked'),
    ]);
  });
});

function nowMs(): number {
  return clock.nowUs() / 1000;
}
