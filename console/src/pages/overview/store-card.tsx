/** The size of the store by integration, and when the disk will be full. */
import type { Forecast, StoreSizes } from '@tidemark/client/wire';
import { Answer, Notice } from '../../parts/notice.tsx';
import { printBytes, printCount } from '../../parts/number.ts';
import { Card } from '../../parts/page.tsx';
import { href } from '../../platform/router/place.ts';
import { useSizes } from '../operate/sizes.ts';
import './store-card.css';

const shownMax = 6;

/** If fewer days are left, the forecast is a warning. */
const daysWarned = 30;

/** The card. `names`: of the integrations, by ID. */
export function StoreCard({ names }: { names: ReadonlyMap<string, string> }) {
  const sizes = useSizes();
  return (
    <Card
      title="Store"
      note="Points on disk, by integration"
      actions={<a href={href('/usage')}>All</a>}
      isFlush
    >
      <Answer of={sizes}>
        {(found) => (
          <>
            <Shares sizes={found} names={names} />
            <div className="store-forecast">
              <ForecastText forecast={found.forecast} />
            </div>
          </>
        )}
      </Answer>
    </Card>
  );
}

function Shares({ sizes, names }: { sizes: StoreSizes; names: ReadonlyMap<string, string> }) {
  const { integrations, total } = sizes;
  if (integrations.length === 0) return null;
  return (
    <ul className="lines">
      {integrations.slice(0, shownMax).map(({ integration, points, bytes }) => (
        <li key={integration}>
          <a className="grow cut table-name" href={href(`/integrations/${integration}`)}>
            {names.get(integration) ?? integration}
          </a>
          <span className="share" aria-hidden="true">
            <span style={{ width: `${(100 * bytes) / Math.max(1, total.bytes)}%` }} />
          </span>
          <span className="quiet figures">{printCount(points)} points</span>
          <span className="figures lines-age">{printBytes(bytes)}</span>
        </li>
      ))}
    </ul>
  );
}

function ForecastText({ forecast }: { forecast: Forecast | null }) {
  if (forecast === null) return <p className="quiet">The forecast needs two days and a million points.</p>;
  const { bytesPerDay, freeBytes, daysLeft, keptBytes } = forecast;
  const growth = `It grows by about ${printBytes(bytesPerDay)} a day; ${printBytes(freeBytes)} of the disk are free.`;
  if (daysLeft === null && keptBytes === null) return <p className="quiet">{growth}</p>;
  if (daysLeft === null)
    return (
      <p className="quiet">
        {growth} <a href={href('/settings')}>Retention</a> limits it to about {printBytes(keptBytes ?? 0)}.
      </p>
    );
  const words = `${growth} The disk will be full in about ${printDays(daysLeft)}.`;
  return daysLeft < daysWarned ? <Notice mood="warn">{words}</Notice> : <p className="quiet">{words}</p>;
}

function printDays(days: number): string {
  if (days < 2) return 'a day';
  return days > 730 ? `${Math.round(days / 365)} years` : `${Math.round(days)} days`;
}
