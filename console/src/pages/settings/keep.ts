/** How long points are kept, in words. */

/** The lengths that can be chosen from a list. */
export const usualLengths = [
  { value: 'forever', text: 'Keep forever' },
  { value: 'P5Y', text: 'Five years' },
  { value: 'P2Y', text: 'Two years' },
  { value: 'P400D', text: '400 days' },
  { value: 'P90D', text: '90 days' },
  { value: 'P30D', text: '30 days' },
  { value: 'P7D', text: 'A week' },
] as const;

/** `forever` or a duration, in words. */
export function keepText(keep: string): string {
  if (keep === 'forever') return 'forever';
  const days = /^P(\d+)D$/.exec(keep)?.[1];
  if (days !== undefined) return days === '1' ? 'one day' : `${days} days`;
  return usualLengths.find(({ value }) => value === keep)?.text.toLowerCase() ?? keep;
}
