/** Pinned tooltips over the chart, and the table that compares pinned times. */

import { Button, IconButton } from '../../parts/button.tsx';
import { printCivil } from '../../platform/time/civil.ts';
import type { Pin } from './pins.ts';
import type { Loaded, PlottedItem } from './plot.ts';
import { type Moment, printChange, readingAt } from './reading.ts';
import { Swatch } from './swatch.tsx';
import { printSpanLength } from './timestamps.ts';

/** As many values as a tooltip shows; the table has all. */
const cardItemsMax = 5;

/** A pin over the chart: the chart moves it to its instant. */
export function PinCard({
  pin: { letter, atMs, moment },
  plotted,
  loaded,
  zone,
  onRemove,
}: {
  pin: Pin;
  plotted: readonly PlottedItem[];
  loaded: Loaded;
  zone: string;
  onRemove(atMs: number): void;
}) {
  const shown = plotted.filter(({ isVisible }) => isVisible);
  const rest = shown.length - cardItemsMax;
  return (
    <div className="pin" data-at={atMs}>
      <div className="pin-card">
        <div className="pin-head">
          <b>{letter}</b>
          <span className="figures grow">{printCivil(zone, atMs)}</span>
          <IconButton isTiny label={`Remove pin ${letter}`} icon="close" onPress={() => onRemove(atMs)} />
        </div>
        {moment !== null && (
          <ul className="pin-values">
            {shown.slice(0, cardItemsMax).map((each) => (
              <li key={each.item.id}>
                <Swatch plotted={each} />
                <span className="cut grow">{each.item.name}</span>
                <b className="figures">{readingAt(each, loaded, moment).text}</b>
              </li>
            ))}
            {rest > 0 && <li className="quiet">and {rest} more below</li>}
          </ul>
        )}
      </div>
    </div>
  );
}

/** A column of the table: a pin, or the cursor. */
interface Place {
  name: string;
  atMs: number;
  moment: Moment | null;
}

/** Every item at every pin and at the cursor, with what has changed since the first pin. */
export function PinTable({
  pins,
  cursor,
  plotted,
  loaded,
  zone,
  onRemove,
  onClear,
}: {
  pins: readonly Pin[];
  cursor: Moment | null;
  plotted: readonly PlottedItem[];
  loaded: Loaded;
  zone: string;
  onRemove(atMs: number): void;
  onClear(): void;
}) {
  const places: Place[] = pins.map(({ letter, ...pin }) => ({ name: letter, ...pin }));
  if (cursor) places.push({ name: 'Cursor', atMs: cursor.atMs, moment: cursor });
  const [first] = places;
  return (
    <section className="pin-table" aria-label="Pinned times">
      <div className="pin-bar">
        <h2 className="pin-title">Pinned times</h2>
        <Button isTiny icon="close" onPress={onClear}>
          Remove all pins
        </Button>
      </div>
      <div className="readout-scroll">
        <table className="readout">
          <caption className="hidden-text">
            Items at pinned times, with the change since the first of them
          </caption>
          <thead>
            <tr>
              <th scope="col">Item</th>
              {places.map((place) => (
                <th key={place.name} scope="col" className="number">
                  <PlaceHead place={place} first={first!} zone={zone} onRemove={onRemove} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {plotted.map((each) => (
              <tr key={each.item.id} className={each.isVisible ? '' : 'off'}>
                <th scope="row">
                  <span className="pin-item">
                    <Swatch plotted={each} />
                    <span className="break">{each.item.name}</span>
                  </span>
                </th>
                {places.map((place) => (
                  <td key={place.name} className="number">
                    <PlaceCell plotted={each} place={place} first={first!} loaded={loaded} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function PlaceHead({
  place,
  first,
  zone,
  onRemove,
}: {
  place: Place;
  first: Place;
  zone: string;
  onRemove(atMs: number): void;
}) {
  const sinceMs = place.atMs - first.atMs;
  return (
    <>
      <b className="pin-letter">{place.name}</b> {printCivil(zone, place.atMs)}
      {place.name !== 'Cursor' && (
        <IconButton
          isTiny
          label={`Remove pin ${place.name} from the table`}
          icon="close"
          onPress={() => onRemove(place.atMs)}
        />
      )}
      {place !== first && (
        <span className="pin-change">
          Δt {sinceMs < 0 ? '−' : ''}
          {printSpanLength(Math.abs(sinceMs))}
        </span>
      )}
    </>
  );
}

function PlaceCell({
  plotted,
  place,
  first,
  loaded,
}: {
  plotted: PlottedItem;
  place: Place;
  first: Place;
  loaded: Loaded;
}) {
  if (place.moment === null) return <span className="quiet">outside the window</span>;
  const reading = readingAt(plotted, loaded, place.moment);
  const base = first.moment && place !== first ? readingAt(plotted, loaded, first.moment).value : null;
  const change = base === null || reading.value === null ? null : reading.value - base;
  return (
    <>
      {reading.text}
      {change !== null && <span className="pin-change">Δ {printChange(change)}</span>}
    </>
  );
}
