/** The proleptic Gregorian calendar as arithmetic on day numbers; day 0 is 1970-01-01. */

/** A calendar date; `month` 1-12, `day` 1-31. */
export interface CivilDate {
  year: number;
  month: number;
  day: number;
}

/** The day number of a date (Hinnant, "chrono-compatible low-level date algorithms"). `month` must be 1-12; `day` may overflow. */
export function daysFromCivil(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

/** The date of a day number; the inverse of {@link daysFromCivil}. */
export function civilFromDays(days: number): CivilDate {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1,
  };
}

/** The number of days in a month, leap years included. */
export function daysInMonth(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** The day so many months after (or before) a day: the same day of the month, or the last one of a shorter month. */
export function addMonths(day: number, months: number): number {
  const from = civilFromDays(day);
  const month = from.year * 12 + from.month - 1 + months;
  const year = Math.floor(month / 12);
  const monthOfYear = month - year * 12 + 1;
  return daysFromCivil(year, monthOfYear, Math.min(from.day, daysInMonth(year, monthOfYear)));
}
