/** The log of a service thread: the first thread writes it, so that lines stay whole and in order. */
import type { Log } from '#model/environment';
import { type LeveledLog, type LogLevel, levels, wordsOf } from './text-log.ts';

/** One line of the log. */
export interface LogEntry {
  level: keyof Log;
  message: string;
  fields: Record<string, unknown>;
}

/** A log that sends lines of at least this level on. */
export function remoteLog(send: (entry: LogEntry) => void, lowest: LogLevel): LeveledLog {
  let level = lowest;
  const logger =
    (of: keyof Log) =>
    (message: string, fields: Record<string, unknown> = {}) => {
      if (levels.indexOf(of) >= levels.indexOf(level)) send({ level: of, message, fields: sendable(fields) });
    };
  return {
    debug: logger('debug'),
    info: logger('info'),
    warn: logger('warn'),
    error: logger('error'),
    setLevel(next) {
      level = next;
    },
  };
}

/** Errors as words, since most of their members do not pass to another thread. */
function sendable(fields: Record<string, unknown>): Record<string, unknown> {
  return 'error' in fields ? { ...fields, error: wordsOf(fields.error) } : fields;
}
