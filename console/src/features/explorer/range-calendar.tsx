/** A month to choose days from: the first press begins a range, the second ends it. Loaded when it is opened. */
import { CalendarDate, type DateValue, fromAbsolute, toCalendarDate } from '@internationalized/date';
import { useState } from 'react';
import {
  RangeCalendar as AriaRangeCalendar,
  Button,
  CalendarCell,
  CalendarGrid,
  CalendarGridBody,
  CalendarGridHeader,
  CalendarHeaderCell,
  Heading,
  I18nProvider,
} from 'react-aria-components';
import { Icon } from '../../parts/icon.tsx';
import type { Span } from './range.ts';
import './range-picker.css';

interface RangeCalendarProps {
  /** What is chosen at present. */
  span: Span;
  zone: string;
  /** 1 Monday … 7 Sunday. */
  firstDay: number;
  /** Dates as text: the first day, and the day after the last. */
  onChoose(from: string, to: string): void;
}

const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

/** Years beyond these are none of a chart. */
const days = { min: new CalendarDate(1700, 1, 1), max: new CalendarDate(2254, 12, 31) };

/** The calendar. */
export default function RangeCalendar({ span, zone, firstDay, onChoose }: RangeCalendarProps) {
  const [value, setValue] = useState(() => daysOf(span, zone));
  const choose = (next: { start: DateValue; end: DateValue } | null) => {
    if (next === null) return;
    const chosen = { start: toCalendarDate(next.start), end: toCalendarDate(next.end) };
    setValue(chosen);
    onChoose(chosen.start.toString(), chosen.end.add({ days: 1 }).toString());
  };
  return (
    <I18nProvider locale="en-GB">
      <AriaRangeCalendar
        className="calendar"
        aria-label="Days"
        value={value}
        onChange={choose}
        minValue={days.min}
        maxValue={days.max}
        firstDayOfWeek={weekdays[firstDay - 1]!}
      >
        <div className="calendar-head">
          <Button slot="previous" className="button plain icon-only tiny">
            <Icon name="left" />
          </Button>
          <Heading className="calendar-month" />
          <Button slot="next" className="button plain icon-only tiny">
            <Icon name="right" />
          </Button>
        </div>
        <CalendarGrid weekdayStyle="short">
          <CalendarGridHeader>{(day) => <CalendarHeaderCell>{day}</CalendarHeaderCell>}</CalendarGridHeader>
          <CalendarGridBody>
            {(date) => <CalendarCell date={date} className="calendar-day" />}
          </CalendarGridBody>
        </CalendarGrid>
      </AriaRangeCalendar>
    </I18nProvider>
  );
}

/** The days that a span touches, by the clock of the zone. */
function daysOf({ fromMs, toMs }: Span, zone: string): { start: CalendarDate; end: CalendarDate } {
  const dayOf = (ms: number) => toCalendarDate(fromAbsolute(ms, zone));
  return { start: dayOf(fromMs), end: dayOf(Math.max(fromMs, toMs - 1)) };
}
