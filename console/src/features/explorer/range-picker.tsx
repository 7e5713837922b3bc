/** Chooses which time range is shown, in which zone. */
import { lazy, Suspense, useDeferredValue, useState } from 'react';
import { Dialog, DialogTrigger, Popover } from 'react-aria-components';
import { Button, ListButton } from '../../parts/button.tsx';
import { SelectField } from '../../parts/field.tsx';
import { PlainForm } from '../../parts/form.tsx';
import { browserZone, offsetOf, zoneNames } from '../../platform/time/zone.ts';
import { absoluteRange, isBackwards, type Span, shortcuts, wholeSpan } from './range.ts';
import { EndFields, useRangeEnds } from './range-ends.tsx';
import { nameZone, printOffsets, printRange } from './timestamps.ts';
import type { View } from './view.ts';
import './range-picker.css';

const RangeCalendar = lazy(() => import('./range-calendar.tsx'));

interface Props {
  view: Pick<View, 'range' | 'zone' | 'firstDay'>;
  span: Span;
  /** That of the view, or the preferred one. */
  zone: string;
  nowMs: number;
  /** From the first to the newest point; null: unknown or none. */
  extent?: Span | null;
  onChange(change: Partial<Props['view']>): void;
}

/** A button that says range, zone and offset; behind it shortcuts, both ends, and the zone. */
export function RangePicker(props: Props) {
  const { view, span, zone } = props;
  const [isOpen, setOpen] = useState(false);
  const name = printRange(view.range, span, zone);
  const close = () => setOpen(false);
  return (
    <DialogTrigger isOpen={isOpen} onOpenChange={setOpen}>
      <Button icon="clock">
        <span className="hidden-text">Time range: </span>
        <span className="cut figures" title={name}>
          {name}
        </span>{' '}
        <span className="quiet small cut figures range-zone">
          {zone === 'UTC' ? printOffsets(zone, span) : nameZone(zone, span)}
        </span>
      </Button>
      <Popover className="popover range-popover" placement="bottom start">
        <Dialog aria-label="Time range" className="range-dialog">
          <Shortcuts {...props} close={close} />
          <div className="range-ends">
            <Ends {...props} close={close} />
            <hr className="list-line" />
            <Calendar {...props} />
          </div>
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}

type PartProps = Props & { close(): void };

function Shortcuts({ view: { range }, extent, onChange, close }: PartProps) {
  const entries = [...shortcuts, ...(extent ? [{ name: 'All', ...absoluteRange(wholeSpan(extent)) }] : [])];
  return (
    <ul className="range-shortcuts" aria-label="Shortcuts">
      {entries.map(({ name, from, to }) => (
        <li key={name}>
          <ListButton
            isCurrent={from === range.from && to === range.to}
            onPress={() => {
              onChange({ range: { from, to } });
              close();
            }}
          >
            {name}
          </ListButton>
        </li>
      ))}
    </ul>
  );
}

function Ends({ view, span, zone, nowMs, onChange, close }: PartProps) {
  const { range, firstDay } = view;
  const ends = useRangeEnds(range, span, zone);
  const [isTried, setTried] = useState(false);
  const [hasCalendar, setCalendar] = useState(false);
  const isWrong = ends.range !== null && isBackwards(ends.range, nowMs, { zone, firstDay });
  const apply = () => {
    setTried(true);
    if (ends.range === null || isWrong) return;
    onChange({ range: ends.range });
    close();
  };
  return (
    <PlainForm onSubmit={apply}>
      <EndFields
        ends={ends}
        areErrorsShown={isTried}
        hint="2026-11-20 10:30, or now, now-6h, now/w (this week)"
        error={isWrong ? 'must be after the start' : undefined}
      />
      {hasCalendar && (
        <Suspense fallback={<div className="calendar" />}>
          <RangeCalendar
            span={span}
            zone={zone}
            firstDay={firstDay}
            onChoose={(from, to) => ends.set({ from, to })}
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
    </PlainForm>
  );
}

/** The zone of the view, and the day on which its weeks begin. */
function Calendar({ view, zone, nowMs, onChange }: Props) {
  // Four hundred zones a little later: the offset of each takes its time to find.
  const all = useDeferredValue(useState(zoneNames)[0], noZones);
  const names = [...new Set(['UTC', browserZone, zone, ...all])];
  const options = names.map((name) => ({
    value: name,
    text: name.replaceAll('_', ' '),
    note: name === 'UTC' ? '' : offsetOf(name, nowMs),
  }));
  return (
    <div className="form">
      <SelectField
        label="Time zone of this view"
        value={view.zone ?? preferredZone}
        onChange={(name) => onChange({ zone: name === preferredZone ? null : name })}
        options={[{ value: preferredZone, text: 'As in the header' }, ...options]}
      />
      <SelectField
        label="Weeks begin on"
        value={String(view.firstDay)}
        onChange={(day) => onChange({ firstDay: Number(day) })}
        options={weekdays.map((text, i) => ({ value: String(i + 1), text }))}
      />
    </div>
  );
}

const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const noZones: string[] = [];
const preferredZone = 'preferred';
