/** Every spec/cases/*.case as tests of one store. */
import { readdirSync, readFileSync } from 'node:fs';
import { after, before, suite, test } from 'node:test';
import { stepsOf } from './run.ts';
import { parseScript } from './script.ts';
import { type StorePair, World } from './world.ts';

const folder = new URL('../../../spec/cases/', import.meta.url);

/** The files of cases, with what each consists of. */
export function caseFiles() {
  const files = readdirSync(folder).filter((name) => name.endsWith('.case'));
  return files.map((file) => {
    const steps = stepsOf(parseScript(readFileSync(new URL(file, folder), 'utf8')));
    return { file, steps };
  });
}

/** Declares the cases for one kind of store, which is opened anew for each file. */
export function caseSuite(storeName: string, open: () => Promise<StorePair>): void {
  for (const { file, steps } of caseFiles()) {
    suite(`${file} on ${storeName}`, { concurrency: false }, () => {
      let store: StorePair;
      let world: World;
      let done = 0;

      before(async () => {
        store = await open();
        world = new World(store);
      });
      after(() => store.close());

      for (const [index, step] of steps.entries()) {
        if (!('run' in step)) continue;
        test(step.title, async () => {
          for (; done < index; done++) {
            const earlier = steps[done];
            if ('prepare' in earlier) await earlier.prepare(world);
          }
          await step.run(world);
        });
      }
    });
  }
}
