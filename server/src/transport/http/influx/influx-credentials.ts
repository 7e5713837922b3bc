/** Credentials as clients of InfluxDB send them (I2b), in the form that all routes understand. */
import type { Exchange } from '../exchange.ts';

/** What authentication looks at. */
export type CredentialSource = Pick<Exchange, 'header' | 'address' | 'origin'>;

const tokenForm = /^(?:Token|Bearer) +(\S+) *$/i;

/**
 * The request as authentication expects it. `Token` and `Bearer` with `INTEGRATION:SECRET` are Basic credentials, with anything else
 * an access token; without the header, `u` and `p` of the URL are Basic credentials.
 */
export function credentialSource(exchange: CredentialSource, query: URLSearchParams): CredentialSource {
  const authorization = authorizationOf(exchange.header('authorization'), query);
  return {
    header: (name) => (name === 'authorization' ? authorization : exchange.header(name)),
    address: exchange.address,
    origin: exchange.origin,
  };
}

function authorizationOf(header: string | undefined, query: URLSearchParams): string | undefined {
  if (header === undefined) {
    const user = query.get('u');
    return user === null ? undefined : basic(`${user}:${query.get('p') ?? ''}`);
  }
  const token = tokenForm.exec(header)?.[1];
  if (token === undefined) return header;
  return token.includes(':') ? basic(token) : `Bearer ${token}`;
}

function basic(text: string): string {
  return `Basic ${Buffer.from(text).toString('base64')}`;
}
