/** The silent signals: their number by integration, and those that stopped last. */
import type { SignalAge } from '@tidemark/client/wire';
import { Badge } from '../../parts/badge.tsx';
import { Failure } from '../../parts/notice.tsx';
import { printCount, printNumberOf } from '../../parts/number.ts';
import { Card } from '../../parts/page.tsx';
import { href } from '../../platform/router/place.ts';
import { useRpc } from '../../platform/rpc/rpc.ts';
import { Age } from '../../platform/time/moment.tsx';
import { agePlace } from '../signals/age-filter.ts';
import './silent-card.css';

const listedMax = 6;
const refetchMs = 30_000;

/** The card. `names`: of the integrations, by ID. */
export function SilentCard({ names }: { names: ReadonlyMap<string, string> }) {
  const summary = useRpc('console.signals.silent', {}, { refetchMs });
  const silent = summary.data?.silent ?? 0;
  const list = useRpc(
    'console.signals.byAge',
    { isSilentOnly: true, limit: listedMax },
    { refetchMs, isEnabled: silent > 0 },
  );
  const error = summary.error ?? list.error;
  if (!summary.data && !error) return null;
  const owners = summary.data?.integrations.filter((each) => each.silent > 0) ?? [];
  return (
    <Card
      title="Silent signals"
      note="No point for longer than their gap detection, or than is usual for them"
      actions={
        summary.data && (
          <Badge tone={silent > 0 ? 'warn' : 'good'}>
            {silent > 0 ? `${printCount(silent)} of ${printCount(summary.data.signals)}` : 'none'}
          </Badge>
        )
      }
      isFlush
    >
      <Failure of={summary.error ? summary : list} />
      {owners.length > 0 && (
        <p className="line silent-owners">
          {owners.slice(0, listedMax).map((each) => (
            <a key={each.integration} href={href('/signals', agePlace(each.integration, 'silent'))}>
              {names.get(each.integration) ?? each.integration}: {printNumberOf(each.silent, 'signal')}
            </a>
          ))}
        </p>
      )}
      <ul className="lines">
        {list.data?.signals.map((signal) => (
          <SilentLine key={signal.id} signal={signal} owner={names.get(signal.integration)} />
        ))}
      </ul>
    </Card>
  );
}

function SilentLine({ signal, owner }: { signal: SignalAge; owner: string | undefined }) {
  const { id, integration, name, lastTime } = signal;
  return (
    <li>
      <a className="grow cut table-name" href={href(`/signals/${integration}/${id}`)}>
        {name}
      </a>
      <span className="quiet cut">{owner ?? integration}</span>
      <span className="figures lines-age">
        <Age at={lastTime} />
      </span>
    </li>
  );
}
