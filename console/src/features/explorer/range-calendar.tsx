/** A month to choose days from: the first press begins a stretch, the second ends it. Loaded when somebody opens it. */
import { useEffect, useMemo, useRef, useState } from 'react';
import { IconButton } from '../../parts/button.tsx';
import { offsetMs } from '../../platform/time/civil.ts';
import {
  addMonths,
  type Days,
  dayAfterKey,
  dayMs,
  daysOf,
  ordered,
  printDay,
  startOfMonth,
  weeksOf,
} from './calendar-month.ts';
import type { Span } from './range.ts';

/** What {@link RangeCalendar} takes. */
export interface RangeCalendarProps {
  /** What is chosen at present. */
  span: Span;
  zone: string;
  /** 1 Monday … 7 Sunday. */
  firstDay: number;
  nowMs: number;
  /** Dates as text: the first day, and the day after the last. */
  onChoose(from: string, to: string): void;
}

/** The calendar. */
export default function RangeCalendar({ span, zone, firstDay, nowMs, onChoose }: RangeCalendarProps) {
  const [days, setDays] = useState(() => daysOf(span, (ms) => offsetMs(zone, ms)));
  const [anchor, setAnchor] = useState<number | null>(null);
  const [cursor, setCursor] = useState(days.last);
  const grid = useRef<HTMLTableElement>(null);
  const isByKey = useRef(false);
  const today = daysOf({ fromMs: nowMs, toMs: nowMs + 1 }, (ms) => offsetMs(zone, ms)).first;
  const weeks = useMemo(() => weeksOf(cursor, firstDay), [cursor, firstDay]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the focus follows the day that a key led to
  useEffect(() => {
    if (isByKey.current) grid.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus();
    isByKey.current = false;
  }, [cursor]);
  const choose = (day: number) => {
    const next = ordered(anchor ?? day, day);
    setDays(next);
    setCursor(day);
    setAnchor(anchor === null ? day : null);
    onChoose(printDay(next.first), printDay(next.last + dayMs));
  };
  const onKey = (event: React.KeyboardEvent) => {
    const next = dayAfterKey(event.key, cursor, firstDay);
    if (next === null) return;
    event.preventDefault();
    isByKey.current = true;
    setCursor(next);
  };
  const month = monthName.format(cursor);
  return (
    <div className="calendar">
      <div className="calendar-head">
        <IconButton
          isTiny
          label="Month before"
          icon="left"
          onPress={() => setCursor(addMonths(cursor, -1))}
        />
        <b aria-live="polite">{month}</b>
        <IconButton isTiny label="Month after" icon="right" onPress={() => setCursor(addMonths(cursor, 1))} />
      </div>
      <table ref={grid} aria-label={`Days of ${month}`}>
        <thead>
          <tr>
            {weeks[0]!.map((day) => (
              <th key={day} scope="col" abbr={weekday.format(day)}>
                {weekday.format(day).slice(0, 2)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeks.map((week) => (
            <tr key={week[0]}>
              {week.map((day) => (
                <DayCell
                  key={day}
                  day={day}
                  isOutside={startOfMonth(day) !== startOfMonth(cursor)}
                  isToday={day === today}
                  isCursor={day === cursor}
                  days={days}
                  onChoose={choose}
                  onKey={onKey}
                />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <p className="quiet small" aria-live="polite">
        {anchor === null ? 'Choose the first day.' : `From ${nameDay(anchor)}: choose the last day.`}
      </p>
    </div>
  );
}

function DayCell({
  day,
  isOutside,
  isToday,
  isCursor,
  days: { first, last },
  onChoose,
  onKey,
}: {
  day: number;
  isOutside: boolean;
  isToday: boolean;
  isCursor: boolean;
  days: Days;
  onChoose(day: number): void;
  onKey(event: React.KeyboardEvent): void;
}) {
  const isChosen = day >= first && day <= last;
  return (
    <td>
      <button
        type="button"
        className={`calendar-day${isOutside ? ' outside' : ''}${isChosen ? ' chosen' : ''}`}
        tabIndex={isCursor ? 0 : -1}
        aria-label={nameDay(day)}
        aria-pressed={isChosen}
        aria-current={isToday ? 'date' : undefined}
        onClick={() => onChoose(day)}
        onKeyDown={onKey}
      >
        {new Date(day).getUTCDate()}
      </button>
    </td>
  );
}

const monthName = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });
const weekday = new Intl.DateTimeFormat('en-GB', { weekday: 'long', timeZone: 'UTC' });

/** `Friday 20 November 2026`, the same in every browser. */
function nameDay(day: number): string {
  return `${weekday.format(day)} ${new Date(day).getUTCDate()} ${monthName.format(day)}`;
}
