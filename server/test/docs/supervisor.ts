/** A substitute for the machine's service manager in the commands of a page: `sudo` and `systemctl` for this one service. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** As often as a second has tenths, for half a minute. */
const awaited = 'for i in $(seq 300); do if $1; then exit 0; fi; sleep 0.1; done; exit 1';

const sudo = '#!/bin/sh\nif [ "$1" = -u ]; then shift 2; fi\nexec "$@"\n';

/**
 * `start` is over when the service is well, as with a unit that notifies; `stop` when its process has ended. The command is not
 * asked before the port is open: a process every tenth of a second would take more of the processor than the start itself.
 */
const systemctl = `#!/bin/bash
cd "$(dirname "$0")"
await() { ${awaited}; }
well() { (: <"/dev/tcp/127.0.0.1/$TIDEMARK_PORT") 2>/dev/null && tidemark health >/dev/null 2>&1; }
gone() { ! kill -0 "$(cat pid)" 2>/dev/null; }
case "$1" in
  start)
    nohup tidemark serve >service.log 2>&1 &
    echo $! >pid
    await well ;;
  stop)
    kill "$(cat pid)"
    await gone ;;
  reload)
    kill -HUP "$(cat pid)" ;;
  *)
    exit 64 ;;
esac
`;

/** Puts both commands into `.bin` of the working directory, where the page's commands find them. */
export async function putSupervisor(cwd: string): Promise<void> {
  const commands = join(cwd, '.bin');
  await mkdir(commands, { recursive: true });
  await writeFile(join(commands, 'sudo'), sudo, { mode: 0o755 });
  await writeFile(join(commands, 'systemctl'), systemctl, { mode: 0o755 });
}

/** Ends the service, if one runs. */
export async function endSupervised(cwd: string): Promise<void> {
  const pid = Number(await readFile(join(cwd, '.bin/pid'), 'utf8').catch(() => ''));
  try {
    if (pid > 1) process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
