/** Self-signed certificates for 127.0.0.1 and localhost, made on the spot: no key of a test lies in the repository. */
import { generateKeyPairSync, sign } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A certificate and its key, PEM. */
export interface TestCertificate {
  cert: string;
  key: string;
}

/** Makes one with this common name, valid for this many days from yesterday. */
export function newCertificate(commonName: string, days = 30): TestCertificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = sequence(set(sequence(objectId('550403'), der(0x0c, Buffer.from(commonName)))));
  const algorithm = sequence(objectId('2a8648ce3d040302'));
  const body = sequence(
    der(0xa0, integer(2)),
    integer(1 + Math.floor(performance.now())),
    algorithm,
    name,
    sequence(utcTime(-1), utcTime(days)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(subjectNames(), isAuthority())),
  );
  const signature = sign('sha256', body, privateKey);
  const cert = sequence(body, algorithm, der(0x03, Buffer.concat([Buffer.of(0), signature])));
  return { cert: pem(cert), key: String(privateKey.export({ type: 'pkcs8', format: 'pem' })) };
}

/** Writes one into a directory; where its files are. */
export async function writeCertificate(directory: string, { cert, key }: TestCertificate) {
  const files = { certPath: join(directory, 'cert.pem'), keyPath: join(directory, 'key.pem') };
  await writeFile(files.certPath, cert);
  await writeFile(files.keyPath, key);
  return files;
}

function subjectNames(): Buffer {
  const dns = der(0x82, Buffer.from('localhost'));
  const address = der(0x87, Buffer.of(127, 0, 0, 1));
  return sequence(objectId('551d11'), der(0x04, sequence(dns, address)));
}

/** A client may trust it by itself. */
function isAuthority(): Buffer {
  return sequence(objectId('551d13'), der(0x04, sequence(der(0x01, Buffer.of(0xff)))));
}

function utcTime(daysFromNow: number): Buffer {
  const text = new Date(Date.now() + daysFromNow * 86_400_000).toISOString();
  return der(0x17, Buffer.from(`${text.slice(2, 19).replace(/[-:T]/g, '')}Z`));
}

/** Tag, length, content (X.690). */
function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.of(tag, ...size), content]);
}

function sequence(...parts: Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts));
}

function set(...parts: Buffer[]): Buffer {
  return der(0x31, Buffer.concat(parts));
}

function integer(value: number): Buffer {
  const hex = value.toString(16);
  const bytes = Buffer.from(hex.length % 2 === 1 ? `0${hex}` : hex, 'hex');
  return der(0x02, bytes[0] > 127 ? Buffer.concat([Buffer.of(0), bytes]) : bytes);
}

function objectId(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, 'hex'));
}

function pem(bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}
