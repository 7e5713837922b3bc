/** Chooses which time range is shown, in which zone. */
import { lazy, Suspense, useDeferredValue, useState } from 'react';
import { Dialog, DialogTrigger, Popover } from 'react-aria-components';
import { Button } from '../../parts/button.tsx';
import { SelectField, TextField } from '../../parts/field.tsx';
import { offsetMs, printCivil, printOffset } from '../../platform/time/civil.ts';
import { browserZone, zoneNames } from '../../platform/time/zone.ts';
import {
  absoluteRange,
  type Range,
  readEnd,
  resolveRange,
  type Span,
  shortcuts,
  wholeSpan,
} from './range.ts';
import { printOffsets, printRange } from './timestamps.ts';

const RangeCalendar = lazy(() => import('./range-calendar.tsx'));

/** What the picker changes. */
export interface RangeChange {
  range?: Range;
  /** null: the zone that the person prefers. */
  zone?: string | null;
  firstDay?: number;
}

/** What {@link RangePicker} takes. */
export interface RangePickerProps {
  range: Range;
  span: Span;
  zone: string;
  /** Whether the zone is that of the view, not the preferred one. */
  hasOwnZone: boolean;
  firstDay: number;
  nowMs: number;
  /** From the first to the newest point; null: unknown or none. */
  extent?: Span | null;
  onChange(change: RangeChange): void;
}

/** A button that says range, zone and offset; behind it shortcuts, both ends, and the zone. */
export function RangePicker(props: RangePickerProps) {
  const { range, span, zone } = props;
  const [isOpen, setOpen] = useState(false);
  const name = printRange(range, span, zone);
  const offset = printOffsets(zone, span);
  return (
    <DialogTrigger isOpen={isOpen} onOpenChange={setOpen}>
      <Button icon="clock">
        <span className="hidden-text">Time range: </span>
        <span className="range-name">{name}</span>{' '}
        <span className="quiet small figures range-zone">
          {zone === 'UTC' ? '' : `${zone.replaceAll('_', ' ')} `}
          {offset}
        </span>
      </Button>
      <Popover className="popover range-popover" placement="bottom start">
        <Dialog aria-label="Time range" className="range-dialog">
          <Shortcuts {...props} close={() => setOpen(false)} />
          <Ends {...props} close={() => setOpen(false)} />
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}

interface PartProps extends RangePickerProps {
  close(): void;
}

function Shortcuts({ range, extent, onChange, close }: PartProps) {
  const choose = (next: Range) => {
    onChange({ range: next });
    close();
  };
  return (
    <ul className="range-shortcuts" aria-label="Shortcuts">
      {shortcuts.map(({ name, from, to }) => {
        const isChosen = from === range.from && to === range.to;
        return (
          <li key={name}>
            <button
              type="button"
              className="list-item"
              aria-current={isChosen ? 'true' : undefined}
              onClick={() => choose({ from, to })}
            >
              {name}
            </button>
          </li>
        );
      })}
      {extent && (
        <li>
          <button
            type="button"
            className="list-item"
            onClick={() => choose(absoluteRange(wholeSpan(extent)))}
          >
            All
          </button>
        </li>
      )}
    </ul>
  );
}

function Ends({ range, span, zone, hasOwnZone, firstDay, nowMs, onChange, close }: PartProps) {
  const [from, setFrom] = useState(range.from.startsWith('now') ? range.from : printCivil(zone, span.fromMs));
  const [to, setTo] = useState(range.to.startsWith('now') ? range.to : printCivil(zone, span.toMs));
  const [isTried, setTried] = useState(false);
  const [hasCalendar, setCalendar] = useState(false);
  const [start, end] = [readEnd(from, zone), readEnd(to, zone)];
  const isWrongWay =
    start !== null && end !== null && isBackwards({ from: start, to: end }, nowMs, zone, firstDay);
  const apply = (event: React.FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (start === null || end === null || isWrongWay) return;
    onChange({ range: { from: start, to: end } });
    close();
  };
  return (
    <form className="form range-ends" onSubmit={apply}>
      <TextField
        label="From"
        value={from}
        onChange={setFrom}
        isCode
        error={isTried && start === null ? endHint : undefined}
      />
      <TextField
        label="To"
        value={to}
        onChange={setTo}
        isCode
        hint="2026-11-20 10:30, or now, now-6h, now/w (this week)"
        error={
          isTried ? (end === null ? endHint : isWrongWay ? 'must be after the start' : undefined) : undefined
        }
      />
      {hasCalendar && (
        <Suspense fallback={<div className="calendar" />}>
          <RangeCalendar
            span={span}
            zone={zone}
            firstDay={firstDay}
            onChoose={(first, after) => {
              setFrom(first);
              setTo(after);
            }}
          />
        </Suspense>
      )}
      <div className="line">
        <Button tone="primary" type="submit">
          Apply
        </Button>
        <Button aria-expanded={hasCalendar} onPress={() => setCalendar(!hasCalendar)}>
          Calendar
        </Button>
      </div>
      <hr className="list-line" />
      <ZoneField zone={zone} hasOwnZone={hasOwnZone} nowMs={nowMs} onChange={onChange} />
      <SelectField
        label="Weeks begin on"
        value={String(firstDay)}
        onChange={(day) => onChange({ firstDay: Number(day) })}
        options={weekdays.map((text, i) => ({ value: String(i + 1), text }))}
      />
    </form>
  );
}

const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const endHint = 'must be a time such as 2026-11-20 10:30, or now-7d';

const noZones: string[] = [];

function ZoneField({
  zone,
  hasOwnZone,
  nowMs,
  onChange,
}: Pick<RangePickerProps, 'zone' | 'hasOwnZone' | 'nowMs' | 'onChange'>) {
  // Four hundred zones a moment later: the offset of each takes its time to find.
  const [known] = useState(zoneNames);
  const all = useDeferredValue(known, noZones);
  const names = [...new Set(['UTC', browserZone, zone, ...all])];
  return (
    <label className="field">
      <span className="field-label">Time zone of this view</span>
      <select
        className="input"
        value={hasOwnZone ? zone : ''}
        onChange={({ target }) => onChange({ zone: target.value === '' ? null : target.value })}
      >
        <option value="">As chosen above, in the header</option>
        {names.map((name) => (
          <option key={name} value={name}>
            {name.replaceAll('_', ' ')} {name === 'UTC' ? '' : printOffset(offsetMs(name, nowMs))}
          </option>
        ))}
      </select>
    </label>
  );
}

function isBackwards(range: Range, nowMs: number, zone: string, firstDay: number): boolean {
  const at = (end: string, other: string) =>
    resolveRange({ from: end, to: other }, nowMs, { zone, firstDay });
  // resolveRange puts ends the right way round; the start alone says whether it had to.
  return Math.abs(at(range.from, range.to).fromMs - at(range.from, range.from).fromMs) > 1;
}
