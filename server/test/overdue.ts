/**
 * Ends the processes that a run of test files would wait for without end: those of a file that is past its time and does not
 * heed SIGTERM, and those that a file left behind, which hold its output open. On Linux; elsewhere nothing is ended.
 */
import { readdirSync, readFileSync } from 'node:fs';

/** How the processes are looked at. */
interface Pace {
  /** How often, ms. */
  lookMs: number;
  /** How long a file may take to end after its time, and what it started after the file, ms. */
  graceMs: number;
}

const defaultPace: Pace = { lookMs: 2000, graceMs: 60_000 };

interface Process {
  pid: number;
  parent: number;
  /** In ticks since the start of the machine; with the ID it is one process, also when the ID is given again. */
  started: string;
}

/** A process that a file of the run is, or that it started. */
interface Descendant extends Process {
  /** The key of the file's process. */
  file: string;
  command: string;
  /** When it was first seen, and when the file's process was first seen to be gone, ms; null: it runs. */
  sinceMs: number;
  leftSinceMs: number | null;
}

/** Watches the files that this process runs, each at most `timeoutMs`; `tell` gets a line for each process that is ended. */
export function endOverdue(
  timeoutMs: number,
  tell: (line: string) => void,
  { lookMs, graceMs }: Pace = defaultPace,
): { stop(): void } {
  const known = new Map<string, Descendant>();
  const timer = setInterval(() => {
    follow(known);
    for (const each of [...known.values()]) {
      const nowMs = performance.now();
      const file = known.get(each.file);
      const isOverdue = file !== undefined && nowMs - file.sinceMs > timeoutMs + graceMs;
      const isLeft = each.leftSinceMs !== null && nowMs - each.leftSinceMs > graceMs;
      if (!isOverdue && !isLeft) continue;
      tell(`ENDED, ${isOverdue ? 'past its time' : 'left by its test file'}: ${each.command}`);
      end(each.pid);
    }
  }, lookMs);
  return { stop: () => clearInterval(timer) };
}

/** Brings what is known up to date. */
function follow(known: Map<string, Descendant>): void {
  const running = new Map(processes().map((each) => [keyOf(each), each]));
  for (const key of known.keys()) if (!running.has(key)) known.delete(key);
  const nowMs = performance.now();
  addNew(known, running, nowMs);
  for (const each of known.values()) if (!known.has(each.file)) each.leftSinceMs ??= nowMs;
}

/** Adds the children of this process, each as a file, and theirs. */
function addNew(
  known: Map<string, Descendant>,
  running: ReadonlyMap<string, Process>,
  sinceMs: number,
): void {
  const byParent = Map.groupBy(running.values(), ({ parent }) => parent);
  const add = (each: Process, file: string) => {
    const key = keyOf(each);
    if (!known.has(key))
      known.set(key, { ...each, file, command: commandOf(each.pid), sinceMs, leftSinceMs: null });
    for (const child of byParent.get(each.pid) ?? []) add(child, known.get(key)!.file);
  };
  for (const file of byParent.get(process.pid) ?? []) add(file, keyOf(file));
  // Those whose parent is gone have another one, but may have started more.
  for (const each of [...known.values()]) add(each, each.file);
}

function keyOf({ pid, started }: Process): string {
  return `${pid} ${started}`;
}

function processes(): Process[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const text = read(`/proc/${name}/stat`);
      const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
      return fields.length < 20 || fields[0] === 'Z'
        ? []
        : [{ pid: Number(name), parent: Number(fields[1]), started: fields[19] }];
    });
}

function commandOf(pid: number): string {
  return read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim();
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // It has ended meanwhile.
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}
