/** Errors of commands, and their exit codes. */

/** The three exit codes. */
export const exitCodes = { ok: 0, failed: 1, usage: 2 } as const;

/** Invalid usage of a command: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A valid command that failed: exit code 1. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}
