/** The report of publishing rules in words. */
import type { PublishRuleReport } from '@tidemark/client/wire';
import { printCount, printNumberOf } from '../../parts/number.ts';

/** The counts in words. */
export function summaryOf({ counts, unmatched }: PublishRuleReport): string {
  const parts = [
    printNumberOf(counts.create, 'new item'),
    `${printCount(counts.update)} changed`,
    `${printCount(counts.connect)} joined`,
    `${printCount(counts.keep)} unchanged`,
    printNumberOf(counts.conflict, 'conflict'),
  ];
  const others = unmatched > 0 ? `; ${printNumberOf(unmatched, 'signal')} without a rule` : '';
  return `${parts.join(', ')}${others}.`;
}
