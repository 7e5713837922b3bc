/** Where the console's files are. */
import { fileURLToPath } from 'node:url';

/** The directory of the console's files: next to the JavaScript in a package, in the workspace `console` in a clone. */
export function consoleDirectory(): string {
  const isPackage = import.meta.url.endsWith('.js');
  return fileURLToPath(new URL(isPackage ? './console/' : '../../console/dist/', import.meta.url));
}
