/** Whether people and the configuration mean the same address: credentials files and tokens name the configured one. */
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
          <code className="break">{configured.replace(/\/$/, '')}</code>. Credentials files and tokens name
          the configured address: programs that cannot reach it, or that ask for tokens at another one, are
          refused.
        </p>
        <p>
          If yours is the right one, start the service with <code className="break">--base-url {seen}</code>{' '}
          (or <code>TIDEMARK_BASE_URL</code>).
        </p>
        {losesCookie && (
          <p>
            Until then nobody can stay signed in here: the cookie of a service with <code>https</code> does
            not travel without it.
          </p>
        )}
      </Notice>
    );
  return (
    <Notice mood={isPlain ? 'warn' : 'good'}>
      <p>
        Your browser and the configuration agree: clients reach this service at{' '}
        <code className="break">{configured.replace(/\/$/, '')}</code>
      </p>
      {isPlain && <p>It is not encrypted: put it behind TLS before credentials travel over a network.</p>}
    </Notice>
  );
}
