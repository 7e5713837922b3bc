/** Golden cases: calls whose whole answers are kept in a file next to the test; `UPDATE=1` rewrites them. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { Check, Errors } from 'typebox/value';
import { methodDefinitions } from '#methods/index';
import type { Method } from '#protocol/method';
import { namesUnder } from '#protocol/router';
import { parseVersion } from '#protocol/version';
import { withoutIds } from '../../support/node-stores.ts';
import { type Answer, type Call, type Plant, startPlant } from './plant.ts';

/** A call, after others, on a service of its own. */
export interface Case extends Call {
  /** Begins with the number of the statement. */
  title: string;
  /** Called before; each must succeed. */
  given?: readonly Call[];
}

/** What every method declares; made without a domain, since none of these is run. */
const definitions = methodDefinitions();

/** Methods that change nothing: cases with the same calls before them share a service. */
const reads = /\.(select|dataFrame|evaluate|items\.select|signals\.select)/i;

/** Runs the cases against `<name>.golden.json`; every result is also held against the declared schema. */
export function runCases(name: string, cases: readonly Case[]): void {
  const url = new URL(`${name}.golden.json`, import.meta.url);
  const isUpdate = process.env.UPDATE === '1';
  const golden = existsSync(url) ? JSON.parse(readFileSync(url, 'utf8')) : {};
  const actual: Record<string, Answer> = {};
  const plants = new Plants();

  for (const { title, given = nothing, ...call } of cases) {
    test(title, async () => {
      const plant = await plants.take(given, reads.test(call.method));
      actual[title] = await answerOf(plant, call);
      if (!isUpdate) assert.deepEqual(withoutIds(actual[title]), withoutIds(golden[title]));
    });
  }

  test(`W9 ${name}: every case has its golden answer, and every golden answer its case`, () => {
    if (isUpdate) return;
    const titles = cases.map(({ title }) => title);
    assert.deepEqual(Object.keys(golden), titles);
  });

  after(async () => {
    await plants.close();
    // Only when every case was answered: a failure is not to shorten the file.
    if (isUpdate && Object.keys(actual).length === cases.length)
      writeFileSync(url, `${JSON.stringify(actual, null, 2)}\n`);
  });
}

const nothing: readonly Call[] = [];

/** The services of a file's cases. */
class Plants {
  readonly #shared = new Map<readonly Call[], Plant>();
  readonly #open: Plant[] = [];

  /** A service on which these calls were made; one that only reads may share it with others. */
  async take(given: readonly Call[], isShared: boolean): Promise<Plant> {
    const known = isShared ? this.#shared.get(given) : undefined;
    if (known !== undefined) return known;
    const plant = await startPlant();
    this.#open.push(plant);
    for (const earlier of given) await mustSucceed(plant, earlier);
    if (isShared) this.#shared.set(given, plant);
    return plant;
  }

  async close(): Promise<void> {
    await Promise.all(this.#open.map((plant) => plant.close()));
  }
}

/** Calls, and checks a result against what the method declares. */
export async function answerOf(plant: Plant, call: Call): Promise<Answer> {
  const answer = await plant.call(call);
  if (answer.result === undefined) return answer;
  const { result } = methodOf(call);
  const problems = Errors(result, answer.result).slice(0, 3);
  assert(
    Check(result, answer.result),
    `${call.method} answers what it does not declare: ${JSON.stringify(problems)}`,
  );
  return answer;
}

/** Calls, and fails unless there is a result. */
export async function mustSucceed(plant: Plant, call: Call): Promise<unknown> {
  const { result, error } = await answerOf(plant, call);
  assert.equal(error, undefined, JSON.stringify(error));
  return result;
}

function methodOf(call: Call): Method {
  const version = parseVersion(call.version);
  const wanted = call.method.toLowerCase();
  const found = definitions.find(({ name, synonyms = [], versions }) => {
    const names = [name, ...synonyms].flatMap((known) => namesUnder(known, ['service', 'clarify']));
    return (
      version !== null && versions.includes(version) && names.some((known) => known.toLowerCase() === wanted)
    );
  });
  return found ?? assert.fail(`no method ${call.method}`);
}
