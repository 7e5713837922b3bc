/** Mistakes of the one who calls the command. */

/** What the three exit codes say. */
export const exitCodes = { ok: 0, failed: 1, usage: 2 } as const;

/** The command was called wrongly: answered with exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The command was right and could not be carried out: answered with exit code 1. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}
