/** Metadata: fifty of ten thousand signals, selected by a label. */
import { Client } from './client.ts';
import type { Target } from './ingest.ts';
import { measureQuestions, type Question } from './query.ts';
import type { Figure } from './report.ts';
import type { Run } from './run.ts';
import type { Service } from './service.ts';

/** Signals that share a label. */
const groupSize = 50;

/** Signals that are saved in one call. */
const saveSize = 500;

/** Saves signals, fifty of them to a group, and asks for one group. */
export async function measureLabels(service: Service, run: Run): Promise<Figure[]> {
  const count = run.isTiny ? 500 : 10_000;
  await saveGroups(service, count);
  return measureQuestions(service, [labelQuestion(service, count)], run);
}

/** Saves so many signals named `label/<k>`; the k-th is labelled with its group. */
export async function saveGroups(service: Target, count: number): Promise<void> {
  const client = await Client.open(service.url);
  for (let from = 0; from < count; from += saveSize) {
    const some = Array.from({ length: Math.min(saveSize, count - from) }, (_, i) => from + i);
    const signalsByInput = Object.fromEntries(some.map((k) => [`label/${k}`, { labels: labelsOf(k) }]));
    const params = { integration: service.integration, signalsByInput };
    await client.call(service, 'integration.saveSignals', params);
  }
  client.close();
}

function labelsOf(k: number): Record<string, string[]> {
  return { group: [`g${Math.floor(k / groupSize)}`], site: ['north'] };
}

/** What is looked at in the answer. */
interface SelectedSignals {
  data: { attributes: { input: string } }[];
}

/** The question for the group in the middle of so many signals. */
export function labelQuestion({ integration }: Target, count: number): Question<SelectedSignals> {
  const group = Math.floor(count / groupSize / 2);
  const query = { filter: { 'labels.group': `g${group}` }, limit: groupSize };
  return {
    name: `${groupSize} of ${count.toLocaleString('en')} signals by label`,
    mostMs: 0.5,
    method: 'admin.selectSignals',
    params: { integration, query },
    check({ data }) {
      const found = data.map(({ attributes }) => attributes.input).sort();
      const expected = Array.from({ length: groupSize }, (_, i) => `label/${group * groupSize + i}`).sort();
      if (found.join() !== expected.join()) throw new Error(`expected ${expected}, got ${found}`);
    },
  };
}
