/** The pages of integrations, signals and publishing in both themes and two widths: nothing serious for axe, nothing cut off, no error; with SHOTS=1 a picture of each. */
import { suite, test } from 'node:test';
import { openConsole, token } from './support/console.ts';
import { fillIn, type Places } from './support/every-page.ts';
import { examineAll, reportFound } from './support/examine.ts';

let places: Places;

openConsole({
  prepare: async () => {
    places = await fillIn(token);
  },
});

suite('pages of integrations, signals and publishing', { concurrency: false }, () => {
  test('every one of them', () => examineAll(places.signals));

  reportFound();
});
