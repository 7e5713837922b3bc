/** Who runs a command, as the audit names it (L4a). */
import { userInfo } from 'node:os';
import type { Act } from '#model/act';

/** The user of the operating system under whom this process runs. */
export function cliAct(): Act {
  return { actor: `cli:${userName()}`, origin: 'cli' };
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? '?'}`; // A container may run under a user that has no name.
  }
}
