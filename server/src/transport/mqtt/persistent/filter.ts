/** Which topics a filter with wildcards is for (MQTT 3.1.1, section 4.7). */

/** Whether a topic, which has no wildcards, matches a filter. */
export function matchesFilter(filter: string, topic: string): boolean {
  const wanted = filter.split('/');
  const levels = topic.split('/');
  for (let i = 0; i < wanted.length; i++) {
    if (wanted[i] === '#') return true;
    if (i >= levels.length || (wanted[i] !== '+' && wanted[i] !== levels[i])) return false;
  }
  return wanted.length === levels.length;
}
