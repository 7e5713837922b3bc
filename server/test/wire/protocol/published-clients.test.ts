/** The published OAuth clients get tokens with their default settings (A2): openid-client, oauth4webapi, simple-oauth2. */
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { after, test } from 'node:test';
import { metadataRoutes } from '#transport/http/token-route';
import { fixedAuthenticator, readJson, startHttp } from '../../support/http.ts';

const require = createRequire(import.meta.url);
const id = 'client';
const secret = 's:e+c%r e';

/** The server listens at a free port, so its own address is known only later: the routes of the metadata ask for it. */
let baseUrl = 'http://127.0.0.1';
const routes = metadataRoutes(baseUrl).map((route) => ({
  ...route,
  serve: (exchange: Parameters<typeof route.serve>[0]) =>
    metadataRoutes(baseUrl)
      .find(({ path }) => path === route.path)
      ?.serve(exchange),
}));
const authenticator = fixedAuthenticator();
const http = await startHttp({ methods: [], routes, authenticator });
baseUrl = http.url;
after(() => http.close());

test('A2 the metadata of RFC 8414 is at both well-known addresses', async () => {
  for (const name of ['oauth-authorization-server', 'openid-configuration']) {
    const response = await fetch(`${http.url}/.well-known/${name}`);
    assert.equal(response.headers.get('content-type'), 'application/json');
    assert.deepEqual(await readJson(response), {
      issuer: http.url,
      token_endpoint: `${http.url}/v1/oauth/token`,
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
      grant_types_supported: ['client_credentials'],
      response_types_supported: [],
      scopes_supported: ['invoke:integration', 'invoke:admin', 'invoke:service'],
    });
  }
});

test('A2 the metadata of an issuer with a path is where RFC 8414 puts it, and where OpenID Connect does', () => {
  const paths = metadataRoutes('https://plant.example/tide/').map(({ path }) => path);
  assert.deepEqual(paths, [
    '/.well-known/oauth-authorization-server',
    '/.well-known/openid-configuration',
    '/.well-known/oauth-authorization-server/tide',
  ]);
});

test('A2 openid-client finds the endpoint by discovery, and gets a token', async () => {
  const client = require('openid-client');
  // Plain HTTP is allowed for the test only.
  const options = { execute: [client.allowInsecureRequests] };
  for (const algorithm of ['oidc', 'oauth2']) {
    const issuer = new URL(http.url);
    const config = await client.discovery(issuer, id, secret, undefined, { ...options, algorithm });
    const tokens = await client.clientCredentialsGrant(config);
    assert.equal(tokens.access_token, 'aaa.bbb.ccc');
  }
});

test('A2 oauth4webapi gets a token by header and by form', async () => {
  const oauth = require('oauth4webapi');
  const insecure = { [oauth.allowInsecureRequests]: true };
  const issuer = new URL(http.url);
  const discovered = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure });
  const server = await oauth.processDiscoveryResponse(issuer, discovered);
  for (const proof of [oauth.ClientSecretBasic(secret), oauth.ClientSecretPost(secret)]) {
    const client = { client_id: id };
    const response = await oauth.clientCredentialsGrantRequest(server, client, proof, {}, insecure);
    const answer = await oauth.processClientCredentialsResponse(server, client, response);
    assert.equal(answer.access_token, 'aaa.bbb.ccc');
    assert.equal(answer.expires_in, 7200);
  }
});

test('A2 simple-oauth2 gets a token at its default path, with and without a scope', async () => {
  const { ClientCredentials } = require('simple-oauth2');
  const auth = { tokenHost: http.url };
  const client = new ClientCredentials({ client: { id, secret }, auth });
  for (const params of [{}, { scope: ['invoke:integration', 'invoke:service'] }]) {
    const { token } = await client.getToken(params);
    assert.equal(token.access_token, 'aaa.bbb.ccc');
  }
});
