/** The log of a service: one JSON object a line. */
import { pino } from 'pino';
import { censor, type LeveledLog, type LogOptions, secretNames, wordsOf } from './text-log.ts';

/** Opens a log. */
export function openLog({ level, stream }: LogOptions): LeveledLog {
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: wordsOf },
      redact: { paths: secretNames.flatMap((name) => [name, `*.${name}`]), censor },
    },
    stream as { write(text: string): void },
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
