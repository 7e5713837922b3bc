/** Settings of V8, which runs JavaScript: they apply to all threads of the process. */
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

/**
 * Has V8 collect garbage when the heap and the buffers outside of it together have grown by a part of what they are. Otherwise it
 * collects the whole heap whenever more buffers have been made than freed since the last time, by as little as ten megabytes, and
 * begins to count again at the fewest: buffers of requests that come and go, and are freed at once, are collected for all the time. See
 * docs/decisions/0056-buffers-count-with-the-heap.md.
 */
export function countBuffersWithHeap(): void {
  setFlagsFromString('--external-memory-accounted-in-global-limit');
}
