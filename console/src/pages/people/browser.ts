/** The names of browsers. */

/** `Firefox on Linux`, as far as the user agent says. */
export function browserOf(userAgent: string): string {
  const browser = (/(Firefox|Edg|OPR)\//.exec(userAgent) ?? /(Chrome|Safari)\//.exec(userAgent))?.[1];
  const system = /(Windows|Android|iPhone|iPad|Mac OS X|Linux)/.exec(userAgent)?.[1];
  const names: Readonly<Record<string, string>> = { Edg: 'Edge', OPR: 'Opera', 'Mac OS X': 'macOS' };
  if (!browser) return userAgent.slice(0, 40) || 'unknown';
  return `${names[browser] ?? browser}${system ? ` on ${names[system] ?? system}` : ''}`;
}
