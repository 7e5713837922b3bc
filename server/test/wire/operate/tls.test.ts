/** TLS in the process: negotiation, headers for browsers, and certificates that change while the service runs. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { connect as connectPlain } from 'node:net';
import { type TestContext, test } from 'node:test';
import { connect, type TLSSocket } from 'node:tls';
import { temporaryDirectory, until } from '../../cli/process.ts';
import { newCertificate, type TestCertificate, writeCertificate } from '../../support/certificate.ts';
import { basicHeader, type HttpUnderTest, startHttp } from '../../support/http.ts';
import { testMethods } from '../protocol/methods.ts';

interface TlsUnderTest extends HttpUnderTest {
  files: { certPath: string; keyPath: string };
  certificate: TestCertificate;
}

async function startTls(t: TestContext): Promise<TlsUnderTest> {
  const certificate = newCertificate('first');
  const files = await writeCertificate(await temporaryDirectory(t), certificate);
  const http = await startHttp({ methods: testMethods, tls: files });
  t.after(() => http.close());
  return { ...http, files, certificate };
}

/** A connection that trusts every certificate: which one it is, is what is looked at. */
async function open(port: number, options: object = {}): Promise<TLSSocket> {
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ...options });
  await once(socket, 'secureConnect');
  return socket;
}

async function nameShown(port: number): Promise<string> {
  const socket = await open(port);
  const { CN } = socket.getPeerCertificate().subject;
  socket.destroy();
  return String(CN);
}

/** One request on a connection that stays open; the head of the answer. */
async function ask(socket: TLSSocket): Promise<string> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'service.echo' });
  socket.write(
    `POST /v1/rpc HTTP/1.1\r\nhost: x\r\nauthorization: ${basicHeader}\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  const [chunk] = await once(socket, 'data');
  return String(chunk);
}

test('E3 over TLS calls are answered, with HSTS, in TLS 1.2 and 1.3 and in no older version', async (t) => {
  const { port, certificate } = await startTls(t);
  for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
    const options = {
      minVersion: version,
      maxVersion: version,
      ca: certificate.cert,
      rejectUnauthorized: true,
    };
    const socket = await open(port, options);
    assert.equal(socket.getProtocol(), version);
    const answer = await ask(socket);
    assert.match(answer, /^HTTP\/1\.1 200 /);
    assert.match(answer, /strict-transport-security: max-age=31536000\r\n/);
    socket.destroy();
  }
  const old = connect({
    host: '127.0.0.1',
    port,
    rejectUnauthorized: false,
    minVersion: 'TLSv1.1',
    maxVersion: 'TLSv1.1',
    ciphers: 'DEFAULT:@SECLEVEL=0',
  });
  const [error] = await once(old, 'error');
  assert.match(String(error.code), /SSL|ECONNRESET/);
});

test('E3 a certificate that changes is used for new connections, and no open one is dropped', async (t) => {
  const { port, files, log } = await startTls(t);
  const before = await open(port);
  assert.match(await ask(before), / 200 /);
  const next = newCertificate('second', 60);
  await writeFile(files.certPath, next.cert);
  await writeFile(files.keyPath, next.key);
  assert.ok(await until(async () => (await nameShown(port)) === 'second', 10_000));
  assert.match(await ask(before), / 200 /);
  before.destroy();
  assert.ok(log.lines.some(({ message }) => message === 'TLS certificate loaded'));
});

test('E3 a certificate that cannot be used leaves the old one in use, and the log says why', async (t) => {
  const { port, files, log, server, certificate } = await startTls(t);
  const wrong: [string, () => Promise<void>, RegExp][] = [
    ['not PEM', () => writeFile(files.certPath, 'nonsense'), /cannot use the TLS certificate .*cert\.pem/],
    ['another key', () => writeFile(files.certPath, newCertificate('third').cert), /does not belong to/],
    ['missing', () => rm(files.certPath), /cert\.pem: there is no such file/],
  ];
  for (const [what, spoil, reason] of wrong) {
    await spoil();
    assert.equal(server.tls?.reload(), false, what);
    assert.match(String(log.lines.at(-1)?.fields?.error), reason);
    assert.equal(await nameShown(port), 'first');
  }
  await writeFile(files.certPath, certificate.cert);
  assert.equal(server.tls?.reload(), true);
});

test('E3 files that cannot be used at the start are refused by name', async (t) => {
  const files = await writeCertificate(await temporaryDirectory(t), newCertificate('x'));
  await writeFile(files.keyPath, newCertificate('y').key);
  await assert.rejects(
    startHttp({ methods: testMethods, tls: files }),
    /key\.pem does not belong to .*cert\.pem/,
  );
});

test('E3 plain HTTP on a TLS port, and half a handshake, get no answer and disturb no other client', async (t) => {
  const { port } = await startTls(t);
  const half = connectPlain(port, '127.0.0.1');
  half.write(Buffer.of(0x16, 0x03, 0x01));
  const plain = connectPlain(port, '127.0.0.1');
  plain.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n');
  plain.on('error', () => {});
  let received = '';
  plain.on('data', (chunk) => (received += String(chunk)));
  await once(plain, 'close');
  assert.doesNotMatch(received, /HTTP\/1\.1 200/);
  assert.equal(await nameShown(port), 'first');
  half.destroy();
});
