/** The log for people: one short line each. */
import { clockMs, type Log } from '#model/environment';
import { AppError } from '#model/error';
import { systemClock } from './system-environment.ts';

/** From the lowest. */
export const levels = ['debug', 'info', 'warn', 'error', 'silent'] as const;

/** The minimum level that is logged. */
export type LogLevel = (typeof levels)[number];

/** Where and how to log. */
export interface LogOptions {
  level: LogLevel;
  /** Takes whole lines. */
  stream: { write(text: string): unknown };
}

/** A log whose level can be changed. */
export interface LeveledLog extends Log {
  setLevel(level: LogLevel): void;
}

/** Members that are always redacted: a second line of defence behind the rule of {@link Log}. */
export const secretNames = [
  'secret',
  'clientSecret',
  'client_secret',
  'password',
  'authorization',
  'access_token',
];

/** What is written in place of a secret. */
export const censor = '(hidden)';

/** Opens a log of lines like `12:30:05 warn  disk is nearly full free=1024`. Times are UTC. */
export function openTextLog({ level, stream }: LogOptions): LeveledLog {
  let indexMin = levels.indexOf(level);
  const writer =
    (name: LogLevel) =>
    (message: string, fields: Record<string, unknown> = {}) => {
      if (levels.indexOf(name) < indexMin) return;
      const time = new Date(clockMs(systemClock)).toISOString().slice(11, 19);
      stream.write(`${time} ${name.padEnd(5)} ${message}${printFields(fields)}\n`);
    };
  return {
    debug: writer('debug'),
    info: writer('info'),
    warn: writer('warn'),
    error: writer('error'),
    setLevel: (wanted) => {
      indexMin = levels.indexOf(wanted);
    },
  };
}

function printFields(fields: Record<string, unknown>): string {
  return Object.entries(fields)
    .map(([name, value]) => [name, printValue(hide(name, wordsOf(value)))])
    .filter(([, text]) => text !== undefined)
    .map(([name, text]) => ` ${name}=${text}`)
    .join('');
}

function printValue(value: unknown): string | undefined {
  return typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value, hide);
}

function hide(name: string, value: unknown): unknown {
  return secretNames.includes(name) ? censor : value;
}

/** An error in words, since JSON has none for it; other values as they are. */
export function wordsOf(value: unknown): unknown {
  if (!(value instanceof Error)) return value;
  const detail = value instanceof AppError ? value.detail : undefined;
  return detail === undefined ? value.message : `${value.message} (${detail})`;
}
