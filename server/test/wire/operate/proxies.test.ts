/** The headers that are accepted from a trusted proxy, and from a client that only claims to be one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Exchange } from '#transport/http/exchange';
import type { HttpRoute } from '#transport/http/route';
import { type HttpTestOptions, readJson, startHttp } from '../../support/http.ts';
import { testMethods } from '../protocol/methods.ts';

/** Answers how the server sees its client. */
const mirror: HttpRoute = {
  method: 'GET',
  path: '/mirror',
  needsService: false,
  serve: (exchange: Exchange) =>
    exchange.sendText(
      200,
      'application/json',
      JSON.stringify({ address: exchange.address, isSecure: exchange.isSecure }),
    ),
};

const forwarded = { 'x-forwarded-for': '198.51.100.7, 203.0.113.9', 'x-forwarded-proto': 'https' };

async function see(options: Partial<HttpTestOptions>, headers: Record<string, string>) {
  const http = await startHttp({ methods: testMethods, routes: [mirror], ...options });
  try {
    const response = await fetch(`${http.url}/mirror`, { headers });
    const hsts = response.headers.get('strict-transport-security');
    return { ...(await readJson(response)), hsts };
  } finally {
    await http.close();
  }
}

test('E3 without trusted proxies nothing that is said to be forwarded is believed', async () => {
  const seen = await see({}, forwarded);
  assert.deepEqual(seen, { address: '127.0.0.1', isSecure: false, hsts: null });
});

test('E3 of a trusted proxy the last address that is none of its own, and TLS, are believed', async () => {
  const own = await see({ trustedProxies: ['127.0.0.1'] }, forwarded);
  assert.deepEqual(own, { address: '203.0.113.9', isSecure: true, hsts: 'max-age=31536000' });
  const chain = await see({ trustedProxies: ['loopback', '203.0.113.0/24'] }, forwarded);
  assert.equal(chain.address, '198.51.100.7');
});

test('E3 a client that is not the trusted proxy is not believed', async () => {
  const seen = await see({ trustedProxies: ['192.0.2.1'] }, forwarded);
  assert.deepEqual(seen, { address: '127.0.0.1', isSecure: false, hsts: null });
});

test('E3 every answer forbids sniffing, framing and scripts', async () => {
  const http = await startHttp({ methods: testMethods });
  try {
    for (const path of ['/healthz', '/nothing', '/v1/rpc', '/openrpc.json']) {
      const { headers } = await fetch(http.url + path);
      assert.equal(headers.get('x-content-type-options'), 'nosniff', path);
      assert.equal(headers.get('content-security-policy'), "default-src 'none'; frame-ancestors 'none'");
      assert.equal(headers.get('referrer-policy'), 'no-referrer');
    }
  } finally {
    await http.close();
  }
});
