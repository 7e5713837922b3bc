/** Which threads of the process the system runs first. */
import { randomFill } from 'node:crypto';
import { getPriority, setPriority } from 'node:os';
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';
import { openLinuxScheduler } from './linux-scheduler.ts';

/** By how much the niceness of a thread is above that of service threads; one with 5 more gets a third of the time. */
const niceness = {
  /** What service threads wait for, or wait for locks of: the runtime's pool of threads (passwords, compression, files). */
  pool: 0,
  /** What must keep up with the service threads: sealing. */
  upkeep: 5,
  /** What computes large answers, which small ones must not wait for. */
  largeReads: 10,
};

/** The largest niceness that there is. */
const nicenessMax = 19;

/** Of this thread, as it was started. */
const initialNiceness = getPriority();

/** Shorter than that of any other thread, ns: a call never waits until another thread has used up its time. */
const serviceSliceNs = 100_000;

/** Under which a service thread hands the processors of the process on to threads that it starts. */
const processorsKey = 'processors of the process';

/**
 * Has the calling thread, one of `count` service threads, run before other threads, as soon as it has something to do. Where there
 * are as many processors as service threads, it uses only that at `index`: two of them would have to take turns on one otherwise,
 * while the other one runs what can wait.
 */
export function serveFirst(index: number, count: number): void {
  const scheduler = openLinuxScheduler();
  const processors = scheduler?.processors();
  if (scheduler === null || !processors) return;
  setEnvironmentData(processorsKey, processors);
  scheduler.setSlice(serviceSliceNs);
  const numbers = numbersOf(processors);
  if (count > 1 && numbers.length === count) scheduler.useProcessors(only(numbers[index]));
}

/** Gives the calling thread a lower priority than service threads have, where the system knows one for each thread and permits it. */
export function yieldProcessor(work: keyof typeof niceness): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(0, Math.min(nicenessMax, initialNiceness + niceness[work]));
  } catch {
    // It runs at normal priority.
  }
  leaveServiceThreads();
}

/** A thread begins as the one that started it runs: undoes what {@link serveFirst} did there. */
function leaveServiceThreads(): void {
  const processors = getEnvironmentData(processorsKey);
  if (!(processors instanceof Uint8Array)) return;
  const scheduler = openLinuxScheduler();
  scheduler?.setSlice(0);
  scheduler?.useProcessors(processors);
}

/** The number by which the system knows the calling thread; null where the runtime cannot tell. */
export function systemThreadId(): number | null {
  return openLinuxScheduler()?.threadId() ?? null;
}

/** Runs work at once. */
export type Runner = (work: () => void) => void;

/**
 * Runs what wakes another thread of higher priority while it holds a lock, as sending to its message port does, on a processor that
 * the other thread does not use, if there is one. Otherwise that thread takes the processor at that moment, and waits for the lock
 * until the calling thread runs again. The other thread is given by its {@link systemThreadId}.
 */
export function runnerBeside(threadId: number | null): Runner {
  const scheduler = threadId === null ? null : openLinuxScheduler();
  if (scheduler === null || threadId === null) return (work) => work();
  return (work) => {
    const all = scheduler.processors();
    const theirs = scheduler.processors(threadId);
    const others = all !== null && theirs !== null ? all.map((bits, i) => bits & ~theirs[i]) : null;
    if (all === null || !others?.some((bits) => bits !== 0)) return work();
    scheduler.useProcessors(others);
    try {
      work();
    } finally {
      scheduler.useProcessors(all);
    }
  };
}

/** Starts the runtime's pool of threads, which get the priority of the thread that is the first to use them. */
export function startPool(): Promise<void> {
  return new Promise((resolve, reject) => {
    randomFill(new Uint8Array(1), (error) => (error === null ? resolve() : reject(error)));
  });
}

/** The numbers of processors, from a bit for each. */
function numbersOf(processors: Uint8Array): number[] {
  const numbers = Array.from({ length: processors.length * 8 }, (_, number) => number);
  return numbers.filter((number) => (processors[number >> 3] >> (number & 7)) & 1);
}

/** The bit of one processor. */
function only(number: number): Uint8Array {
  const processors = new Uint8Array((number >> 3) + 1);
  processors[number >> 3] = 1 << (number & 7);
  return processors;
}
