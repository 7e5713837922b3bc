/** One program at a time uses a directory; the lock of a program that has ended, by kill -9 too, does not count. */
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

/** Takes the lock; releases it with what is returned. Throws where a running program has it. */
export function lockDirectory(directory: string): () => void {
  const path = join(directory, 'lock');
  const own = join(directory, `lock-${process.pid}`);
  writeFileSync(own, `${process.pid} ${startOf(process.pid)}`, { mode: 0o600 });
  try {
    return takeLock(directory, path, own);
  } finally {
    rmSync(own, { force: true });
  }
}

/** A link appears with its content, so that no program finds the lock of another one empty. */
function takeLock(directory: string, path: string, own: string): () => void {
  for (let attempt = 0; ; attempt++) {
    try {
      linkSync(own, path);
      return () => rmSync(path, { force: true });
    } catch (error) {
      if ((error as { code?: string }).code !== 'EEXIST' || attempt > 2) throw error;
      const holder = readLock(path);
      if (isRunning(holder)) throw inUse(directory, holder);
      rmSync(path, { force: true });
    }
  }
}

function inUse(directory: string, holder: string): Error {
  const [pid] = holder.split(' ');
  return new Error(`${directory} is in use by process ${pid}: give each writer a directory of its own`);
}

function readLock(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** A number is used again by other processes: on Linux the time of the start tells them apart. */
function isRunning(holder: string): boolean {
  const [pid, start] = holder.split(' ');
  if (!/^\d+$/.test(pid)) return false;
  if (start !== '') return startOf(Number(pid)) === start;
  try {
    process.kill(Number(pid), 0);
    return Number(pid) !== process.pid;
  } catch (error) {
    return (error as { code?: string }).code === 'EPERM';
  }
}

/** When a process was started, in ticks since the start of the machine; empty where it is not known. */
function startOf(pid: number): string {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return '';
  }
}
