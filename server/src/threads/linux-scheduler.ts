/** What Linux lets a thread say about how it is run. */
import { getPriority } from 'node:os';
import { linuxFunctions } from './c-library.ts';

/** Calls of the system, for the calling thread unless said otherwise. All do nothing where the system refuses. */
export interface LinuxScheduler {
  /** The number by which the system knows the thread. */
  threadId(): number;
  /** The processors that the thread with this number may use, a bit each; 0: the calling one. Null where the system does not say. */
  processors(threadId?: number): Uint8Array | null;
  useProcessors(processors: Uint8Array): void;
  /**
   * The time for which the thread means to run at one go, ns; 0: the default. A thread with less than the one that runs takes the
   * processor from it as soon as there is something to do (Linux 6.12 and later, others ignore it).
   */
  setSlice(sliceNs: number): void;
}

/** Room for the bits of 1,024 processors, bytes. */
const processorsBytes = 128;

/** The numbers of system calls that not every C library has a function for: `sched_setattr` and `gettid`. */
const systemCalls: Partial<Record<NodeJS.Architecture, { setAttributes: bigint; threadId: bigint }>> = {
  x64: { setAttributes: 314n, threadId: 186n },
  arm64: { setAttributes: 274n, threadId: 178n },
};

/** For a parameter that a system call has not. */
const unused = new Uint8Array(1);

/** `SCHED_FLAG_KEEP_POLICY` of `struct sched_attr`. */
const keepPolicy = 8n;

/** That of this system; null where there is none. */
export function openLinuxScheduler(): LinuxScheduler | null {
  const calls = systemCalls[process.arch];
  const functions = linuxFunctions({
    sched_getaffinity: { arguments: ['i32', 'u64', 'buffer'], return: 'i32' },
    sched_setaffinity: { arguments: ['i32', 'u64', 'buffer'], return: 'i32' },
    syscall: { arguments: ['i64', 'i32', 'buffer', 'u32'], return: 'i64' },
  });
  if (functions === null || calls === undefined) return null;
  return {
    threadId: () => Number(functions.syscall(calls.threadId, 0, unused, 0)),
    processors(threadId = 0) {
      const processors = new Uint8Array(processorsBytes);
      const result = functions.sched_getaffinity(threadId, BigInt(processorsBytes), processors);
      return result < 0 ? null : processors;
    },
    useProcessors: (processors) =>
      void functions.sched_setaffinity(0, BigInt(processors.byteLength), processors),
    setSlice: (sliceNs) =>
      void functions.syscall(calls.setAttributes, 0, attributesOf(getPriority(0), sliceNs), 0),
  };
}

/** A `struct sched_attr`: its size, policy, flags, niceness, priority, and the three times, of which the first is the slice. */
function attributesOf(niceness: number, sliceNs: number): Uint8Array {
  const bytes = new Uint8Array(48);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, bytes.byteLength, true);
  view.setBigUint64(8, keepPolicy, true);
  view.setInt32(16, niceness, true);
  view.setBigUint64(24, BigInt(sliceNs), true);
  return bytes;
}
