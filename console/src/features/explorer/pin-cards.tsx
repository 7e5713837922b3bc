/** Pinned tooltips over the chart, and the table that compares pinned times. */
import { Button, IconButton } from '../../parts/button.tsx';
import { printCivil } from '../../platform/time/civil.ts';
import type { Pin } from './pins.ts';
import type { Loaded, Plot, PlottedItem } from './plot.ts';
import { type Cursor, printChange, readingAt } from './reading.ts';
import { ReadoutTable } from './readout-table.tsx';
import { Swatch } from './swatch.tsx';
import { printSpanLength } from './timestamps.ts';
import './pin-cards.css';

/** The number of values in a tooltip; the table has all. */
const cardItemsMax = 5;

/** A pin over the chart: the chart moves it to its instant. */
export function PinCard({
  pin: { letter, atMs, cursor },
  plot: { plotted, loaded, zone },
  onRemove,
}: {
  pin: Pin;
  plot: Plot;
  onRemove(atMs: number): void;
}) {
  const shown = plotted.filter(({ isVisible }) => isVisible);
  const more = shown.length - cardItemsMax;
  return (
    <div className="pin" data-at={atMs}>
      <div className="pin-card">
        <div className="pin-head">
          <b>{letter}</b>
          <span className="figures grow">{printCivil(zone, atMs)}</span>
          <IconButton isTiny label={`Remove pin ${letter}`} icon="close" onPress={() => onRemove(atMs)} />
        </div>
        {cursor !== null && (
          <ul className="pin-values">
            {shown.slice(0, cardItemsMax).map((each) => (
              <li key={each.item.id}>
                <Swatch {...each} />
                <span className="cut grow">{each.item.name}</span>
                <b className="figures">{readingAt(each, loaded, cursor).text}</b>
              </li>
            ))}
            {more > 0 && <li className="quiet">and {more} more below</li>}
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
  cursor: Cursor | null;
}

/** Every item at every pin and at the cursor, with what has changed since the first pin. */
export function PinTable({
  pins,
  cursor,
  plot: { plotted, loaded, zone },
  onRemove,
  onClear,
}: {
  pins: readonly Pin[];
  cursor: Cursor | null;
  plot: Plot;
  onRemove(atMs: number): void;
  onClear(): void;
}) {
  const places: Place[] = pins.map(({ letter, ...pin }) => ({ name: letter, ...pin }));
  if (cursor) places.push({ name: 'Cursor', atMs: cursor.atMs, cursor });
  const first = places[0]!;
  const heads = places.map(
    (place) => [<PlaceHead key={place.name} {...{ place, first, zone, onRemove }} />, 'number'] as const,
  );
  return (
    <section className="pin-table" aria-label="Pinned times">
      <div className="pin-bar">
        <h2 className="pin-title">Pinned times</h2>
        <Button isTiny icon="close" onPress={onClear}>
          Remove all pins
        </Button>
      </div>
      <ReadoutTable
        caption="Items at pinned times, with the change since the first of them"
        heads={['Item', ...heads]}
      >
        {plotted.map((each) => (
          <tr key={each.item.id} className={each.isVisible ? '' : 'off'}>
            <th scope="row">
              <span className="pin-item">
                <Swatch {...each} />
                <span className="break">{each.item.name}</span>
              </span>
            </th>
            {places.map((place) => (
              <td key={place.name} className="number">
                <PlaceCell plotted={each} place={place} first={first} loaded={loaded} />
              </td>
            ))}
          </tr>
        ))}
      </ReadoutTable>
    </section>
  );
}

interface PlaceHeadProps {
  place: Place;
  first: Place;
  zone: string;
  onRemove(atMs: number): void;
}

function PlaceHead({ place: { name, atMs }, first, zone, onRemove }: PlaceHeadProps) {
  const sinceMs = atMs - first.atMs;
  return (
    <>
      <b className="pin-letter">{name}</b> {printCivil(zone, atMs)}
      {name !== 'Cursor' && (
        <IconButton
          isTiny
          label={`Remove pin ${name} from the table`}
          icon="close"
          onPress={() => onRemove(atMs)}
        />
      )}
      {name !== first.name && (
        <span className="pin-change">
          Δt {sinceMs < 0 ? '−' : ''}
          {printSpanLength(Math.abs(sinceMs))}
        </span>
      )}
    </>
  );
}

interface PlaceCellProps {
  plotted: PlottedItem;
  place: Place;
  first: Place;
  loaded: Loaded;
}

function PlaceCell({ plotted, place, first, loaded }: PlaceCellProps) {
  if (place.cursor === null) return <span className="quiet">outside the window</span>;
  const reading = readingAt(plotted, loaded, place.cursor);
  const base = first.cursor && place !== first ? readingAt(plotted, loaded, first.cursor).value : null;
  const change = base === null || reading.value === null ? null : reading.value - base;
  return (
    <>
      {reading.text}
      {change !== null && <span className="pin-change">Δ {printChange(change)}</span>}
    </>
  );
}
