/** Certificates of a service that the runtime does not trust. */
import { ServiceError } from './error.ts';

/** What Node's TLS reports where a certificate is not trusted; browsers do not say. */
const certificateCodes =
  /^(CERT_|ERR_TLS_CERT|UNABLE_TO_(GET|VERIFY|DECRYPT)_|SELF_SIGNED_CERT|DEPTH_ZERO_SELF_SIGNED|INVALID_CA|HOSTNAME_MISMATCH)/;

/** Why no answer came: certificates that are not trusted are an error of their own, since waiting does not help. */
export function lostAnswer(method: string, url: string, cause: unknown): ServiceError {
  const code = codeOf(cause);
  if (code === null || !certificateCodes.test(code)) {
    const reason = code === null ? '' : `: ${code}`;
    return new ServiceError(`no answer from ${url}${reason}`, { kind: 'network', method, cause });
  }
  const message = `the certificate of ${new URL(url).origin} is not trusted (${code}); if it is your own, name its CA's certificate in the environment variable NODE_EXTRA_CA_CERTS, or give it to trustCertificates()`;
  return new ServiceError(message, { kind: 'certificate', method, cause });
}

/** `fetch` puts the reason below its own error. */
function codeOf(error: unknown): string | null {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown };
  if (typeof code === 'string') return code;
  return cause === undefined ? null : codeOf(cause);
}

interface Tls {
  getCACertificates?(type: 'default'): string[];
  setDefaultCACertificates?(certificates: readonly string[]): void;
}

/**
 * Trusts further certificates (PEM) besides those of the runtime, for all connections of this process. Needs Node 22.19 or
 * 24.5; fails elsewhere, and where the text has no certificate.
 */
export function trustCertificates(pem: string): void {
  const { process } = globalThis as { process?: { getBuiltinModule?(id: string): unknown } };
  const tls = process?.getBuiltinModule?.('node:tls') as Tls | undefined;
  if (tls?.getCACertificates === undefined || tls.setDefaultCACertificates === undefined) {
    throw new Error('this runtime cannot trust further certificates; use NODE_EXTRA_CA_CERTS');
  }
  const certificates = pem.match(/-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----/gs);
  if (certificates === null) throw new Error('the text has no certificate in PEM form');
  tls.setDefaultCACertificates([...tls.getCACertificates('default'), ...certificates]);
}
