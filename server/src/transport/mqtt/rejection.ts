/** The description of a rejected message, for the topic of errors (M3, M3a). */
import type { Fault } from '#protocol/fault';

/** Longer topics are shortened. */
const topicCharactersMax = 1024;

/** The error object, and which topic it is about. */
export function rejectionText(fault: Fault, about: string): string {
  return JSON.stringify({ ...fault, topic: about.slice(0, topicCharactersMax) });
}
