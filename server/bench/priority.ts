/**
 * Programs that would run on other machines: those of attackers take only the processor time that is left, and the client that is
 * measured does not wait for a processor. Where the system cannot or may not do so, they run as any other.
 */
import { type ChildProcess, execFile, execFileSync, type StdioOptions, spawn } from 'node:child_process';
import { promisify } from 'node:util';

/** Starts a program of this benchmark that gets a processor when no other program wants it. */
export function startLast(file: string, args: readonly string[]): ChildProcess {
  const [command, ...rest] = [...idlePriority(), process.execPath, file, ...args];
  return spawn(command, rest, { stdio: 'inherit' });
}

/** Runs a command beside the service, which it takes little processor time from. */
export async function runBeside(file: string, args: readonly string[]): Promise<void> {
  await promisify(execFile)('nice', ['-n', '10', process.execPath, file, ...args]);
}

/** Starts a program of this benchmark that gets a processor before others. */
export function startFirst(file: string, stdio: StdioOptions): ChildProcess {
  const [command, ...rest] = [...firstPriority(), process.execPath, file];
  return spawn(command, rest, { stdio });
}

function idlePriority(): string[] {
  const idle = ['chrt', '--idle', '0'];
  return isPossible(idle) ? idle : ['nice', '-n', '19'];
}

function firstPriority(): string[] {
  const first = ['nice', '-n', '-15'];
  return process.getuid?.() === 0 && isPossible(first) ? first : [];
}

function isPossible([command, ...args]: readonly string[]): boolean {
  try {
    execFileSync(command, [...args, 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
