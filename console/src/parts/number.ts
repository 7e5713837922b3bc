/** Prints numbers in the format of the browser's language. */

const whole = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });
const value = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 7 });

/** `12,345`. */
export function printCount(count: number): string {
  return whole.format(count);
}

/** `12.3K`. */
export function printShort(count: number): string {
  return short.format(count);
}

/** A measured value, seven digits at most. */
export function printValue(number: number): string {
  const size = Math.abs(number);
  if (size !== 0 && (size < 1e-4 || size >= 1e12)) return number.toExponential(4);
  return value.format(number);
}

const units = ['B', 'kB', 'MB', 'GB', 'TB'];

/** `1.2 MB`, by thousands. */
export function printBytes(bytes: number): string {
  const step = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  const scaled = bytes / 1000 ** step;
  const digits = step === 0 || scaled >= 999.5 ? Math.round(scaled) : scaled.toPrecision(3);
  return `${digits} ${units[step]}`;
}

/** `1 signal`, `2 signals`. */
export function printNumberOf(count: number, one: string, many = `${one}s`): string {
  return `${printCount(count)} ${count === 1 ? one : many}`;
}
