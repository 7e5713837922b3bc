/** Where the files of the console and of the manual are. */
import { fileURLToPath } from 'node:url';

const isPackage = import.meta.url.endsWith('.js');

/** The directory of the console's files: next to the JavaScript in a package, in the workspace `console` in a clone. */
export function consoleDirectory(): string {
  return fileURLToPath(new URL(isPackage ? './console/' : '../../console/dist/', import.meta.url));
}

/** The directory of the manual's files, likewise. */
export function manualDirectory(): string {
  return fileURLToPath(new URL(isPackage ? './manual/' : '../../manual/dist/', import.meta.url));
}
