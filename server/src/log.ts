/** The log: one JSON object a line on stdout; or one short line each for a terminal. */
import { pino } from 'pino';
import type { Log } from '#model/environment';

/** The lowest level that is logged. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** Where and how to log. */
export interface LogOptions {
  level: LogLevel;
  /** Short lines instead of JSON. */
  pretty: boolean;
  /** Takes whole lines. */
  stream: { write(text: string): unknown };
}

/** Members that are always redacted: a second line of defence behind the rule of {@link Log}. */
const secretNames = ['secret', 'clientSecret', 'client_secret', 'password', 'authorization', 'access_token'];

/** A log whose level can be changed. */
export interface LeveledLog extends Log {
  setLevel(level: LogLevel): void;
}

/** Opens a log. */
export function openLog({ level, pretty, stream }: LogOptions): LeveledLog {
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: secretNames.flatMap((name) => [name, `*.${name}`]), censor: '(hidden)' },
    },
    pretty
      ? { write: (line: string) => stream.write(prettyLine(line)) }
      : (stream as { write(text: string): void }),
  );
  return {
    debug: (message, fields = {}) => logger.debug(fields, message),
    info: (message, fields = {}) => logger.info(fields, message),
    warn: (message, fields = {}) => logger.warn(fields, message),
    error: (message, fields = {}) => logger.error(fields, message),
    setLevel: (wanted) => {
      logger.level = wanted;
    },
  };
}

/** `12:30:05 warn  disk is nearly full free=1024`. */
function prettyLine(line: string): string {
  const { level, time, msg, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const rest = Object.entries(fields).map(([name, value]) => ` ${name}=${prettyValue(value)}`);
  return `${String(time).slice(11, 19)} ${String(level).padEnd(5)} ${msg}${rest.join('')}\n`;
}

function prettyValue(value: unknown): string {
  return typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);
}
