/** Compares the address in the browser with the configured one, which credentials files and tokens contain. */
import { Notice } from '../../parts/notice.tsx';
import { baseUrl } from '../../platform/rpc/base.ts';
import { useSession } from '../../platform/session/context.tsx';
import { compareAddresses } from './address.ts';

/** Shows both addresses if they differ, and what to set. */
export function AddressNotice() {
  const { session } = useSession();
  const configured = session.baseUrl ?? baseUrl;
  const { differs, losesCookie, isPlain } = compareAddresses(baseUrl, configured);
  const seen = baseUrl.replace(/\/$/, '');
  if (differs)
    return (
      <Notice mood="warn">
        <p>
          Your browser reaches this service at <code className="break">{seen}</code>, but it is configured for{' '}
          <code className="break">{configured.replace(/\/$/, '')}</code>. Credentials files and tokens contain
          the configured address: programs that cannot reach it, or that request tokens at another one, are
          refused.
        </p>
        <p>
          If the address in your browser is correct, start the service with{' '}
          <code className="break">--base-url {seen}</code> (or <code>TIDEMARK_BASE_URL</code>).
        </p>
        {losesCookie && (
          <p>
            Until then sign-in at this address does not work: browsers send the cookie of an{' '}
            <code>https</code> service only over <code>https</code>.
          </p>
        )}
      </Notice>
    );
  return (
    <Notice mood={isPlain ? 'warn' : 'good'}>
      <p>
        Your browser and the configuration agree: the address of this service is{' '}
        <code className="break">{configured.replace(/\/$/, '')}</code>
      </p>
      {isPlain && <p>It is not encrypted: set up TLS before credentials are sent over a network.</p>}
    </Notice>
  );
}
