/** Settings of the compiler of JavaScript, which apply to all threads of the process. */
import { setFlagsFromString } from 'node:v8';

/**
 * Has objects that compiled code gives up on get numbers of their own. V8 (13.6 to 14.6 at least) builds an object literal of which
 * compiled code has only begun the members out of the constants of that code: the next object that it gives up on has the same ones,
 * so what is stored in it changes the first one too. Must be called before there is work to be compiled; may be called
 * again. See docs/decisions/0055-numbers-of-objects.md.
 */
export function keepNumbersApart(): void {
  setFlagsFromString('--no-maglev-escape-analysis');
}
