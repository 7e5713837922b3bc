/** What Linux lets a thread say about how it is run. */
import { getPriority } from 'node:os';
import { linuxFunctions } from './c-library.ts';

/** Calls of the system for the calling thread. All do nothing where the system refuses. */
export interface LinuxScheduler {
  /** The processors that the thread may use, a bit each; null where the system does not say. */
  processors(): Uint8Array | null;
  useProcessors(processors: Uint8Array): void;
  /**
   * The time for which the thread means to run at one go, ns; 0: the default. A thread with less than the one that runs takes the
   * processor from it as soon as there is something to do (Linux 6.12 and later, others ignore it).
   */
  setSlice(sliceNs: number): void;
}

/** Room for the bits of 1,024 processors, bytes. */
const processorsBytes = 128;

/** The number of the system call `sched_setattr`, which not every C library has a function for. */
const setAttributesCalls: Partial<Record<NodeJS.Architecture, number>> = { x64: 314, arm64: 274 };

/** `SCHED_FLAG_KEEP_POLICY` of `struct sched_attr`. */
const keepPolicy = 8n;

/** That of this system; null where there is none. */
export function openLinuxScheduler(): LinuxScheduler | null {
  const setAttributes = setAttributesCalls[process.arch];
  const functions = linuxFunctions({
    sched_getaffinity: { arguments: ['i32', 'u64', 'buffer'], return: 'i32' },
    sched_setaffinity: { arguments: ['i32', 'u64', 'buffer'], return: 'i32' },
    syscall: { arguments: ['i64', 'i32', 'buffer', 'u32'], return: 'i64' },
  });
  if (functions === null || setAttributes === undefined) return null;
  return {
    processors() {
      const processors = new Uint8Array(processorsBytes);
      return functions.sched_getaffinity(0, BigInt(processorsBytes), processors) < 0 ? null : processors;
    },
    useProcessors: (processors) =>
      void functions.sched_setaffinity(0, BigInt(processors.byteLength), processors),
    setSlice: (sliceNs) =>
      void functions.syscall(BigInt(setAttributes), 0, attributesOf(getPriority(0), sliceNs), 0),
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
