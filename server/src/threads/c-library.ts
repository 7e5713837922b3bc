/**
 * Functions of the C library on Linux that the runtime has none for, by `node:ffi`, which is experimental: nothing depends on it.
 */
import type { FunctionDefinitions } from 'node:ffi';

/** The functions with these types; null where the system is another one, or the runtime cannot call them. */
export function linuxFunctions<const Definitions extends FunctionDefinitions>(definitions: Definitions) {
  const ffi = process.platform === 'linux' ? process.getBuiltinModule('node:ffi') : undefined;
  if (ffi === undefined) return null;
  try {
    return ffi.dlopen(null, definitions).functions;
  } catch {
    return null;
  }
}
