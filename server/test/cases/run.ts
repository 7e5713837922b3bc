/** Runs the blocks of a `.case` file: sets the world up, and makes a test of each case. */
import assert from 'node:assert/strict';
import { AppError } from '#model/error';
import type { Frame } from '#model/frame';
import { printInstant } from '#model/instant-printer';
import { isExpected, readTime, readValues, readWidth } from './notation.ts';
import { answer, readRequest } from './request.ts';
import { type Block, lineOf, ScriptError, wordsOf } from './script.ts';
import type { World } from './world.ts';

/** One case, ready to run once the steps before it have run. */
export interface Case {
  title: string;
  run(world: World): Promise<void>;
}

/** A step of a script: changes the world, or is a case. */
export type Step = { prepare(world: World): Promise<void> } | Case;

const forms = new Set(['evaluate', 'dataframe', 'selectitems']);

/** What a script does, in order. */
export function stepsOf(blocks: readonly Block[]): Step[] {
  return blocks.flatMap((block): Step[] => {
    if (forms.has(block.command)) return [caseOf(block)];
    if (block.command === 'formulas') return formulaCases(block);
    return [{ prepare: (world) => prepare(block, world) }];
  });
}

async function prepare(block: Block, world: World): Promise<void> {
  const { command, text, line } = block;
  if (command === 'clear') world.clear();
  else if (command === 'now') world.clock.us = readTime(text, line);
  else if (command === 'item') await addItem(text, line, world);
  else if (command === 'load') await load(block, world);
  else throw new ScriptError(line, `unknown word "${command}"`);
}

/** `<name> [enum] [gap <duration>] [states 0=closed 1=open]`. */
async function addItem(text: string, line: number, world: World): Promise<void> {
  const [name, ...words] = wordsOf(text.replace(/\bgap \S+/, '').replace(/\bstates .*/, ''));
  const gap = /\bgap (\S+)/.exec(text)?.[1];
  const states = wordsOf(/\bstates (.*)/.exec(text)?.[1] ?? '').map(
    (word) => word.split('=') as [string, string],
  );
  const unknown = words.find((word) => word !== 'enum');
  if (unknown !== undefined) throw new ScriptError(line, `unknown word "${unknown}"`);
  await world.add(name, {
    valueType: words.includes('enum') ? 'enum' : 'numeric',
    gapDetectionUs: gap === undefined ? null : readWidth(gap, line),
    enumValues: new Map(states),
  });
}

/** `<signal> from <time> every <duration>: <values>`, or `<signal> at <time>=<value> …`; indented lines go on. */
async function load({ text, line, children }: Block, world: World): Promise<void> {
  const words = wordsOf([text, ...children.map(lineOf)].join(' '));
  const [signal, how, ...rest] = words;
  if (how === 'at')
    return world.load(
      signal,
      rest.map((word) => readPoint(word, line)),
    );
  const [from, every, width, ...values] = rest;
  if (how !== 'from' || every !== 'every')
    throw new ScriptError(line, 'meant is: from <time> every <duration>: …');
  const startUs = readTime(from, line);
  const stepUs = readWidth(width.replace(/:$/, ''), line);
  const points = readValues(values, line).flatMap((value, i): [number, number][] =>
    value === null ? [] : [[startUs + i * stepUs, value]],
  );
  await world.load(signal, points);
}

function readPoint(word: string, line: number): [number, number] {
  const [time, value] = word.split('=');
  return [readTime(time, line), Number(value)];
}

function caseOf(block: Block): Case {
  const at = block.children.findIndex(({ command }) => command === 'expect');
  if (at !== block.children.length - 1) throw new ScriptError(block.line, 'a case ends with one "expect"');
  const expectation = block.children[at];
  return {
    title: block.text,
    async run(world) {
      const request = readRequest(block.children.slice(0, at), world);
      const answered = answer(block.command, request, world);
      if (expectation.text.startsWith('error')) await expectError(answered, expectation);
      else expectTable(await answered, expectation, world);
    },
  };
}

/** `expect error <path>: <part of the message>`, and more of them indented below; no other path may have a problem. */
async function expectError(answered: Promise<unknown>, expectation: Block): Promise<void> {
  const expected = [expectation.text, ...expectation.children.map(lineOf)].map((text) => {
    const [, path, part] =
      /^error (\S+): (.*)$/.exec(text) ?? fail(expectation.line, 'meant is: error <path>: <part>');
    return { path, part };
  });
  const problems = await answered.then(() => null, problemsOf);
  assert.ok(problems !== null, 'an answer was given where an error is expected');
  assert.deepEqual(Object.keys(problems).sort(), [...new Set(expected.map(({ path }) => path))].sort());
  for (const { path, part } of expected) {
    assert.ok(
      problems[path].some((text) => text.includes(part)),
      `${path}: ${problems[path].join('; ')}`,
    );
  }
}

function problemsOf(error: unknown): Record<string, string[]> {
  if (error instanceof AppError && error.params !== undefined) return error.params;
  throw error;
}

/** `expect`, a line `time <column>…`, and a line for each row; `expect nothing`: no row. */
function expectTable(frame: Frame, expectation: Block, world: World): void {
  const shown = show(frame, world);
  if (expectation.text === 'nothing') {
    assert.equal(frame.timesUs.length, 0, shown);
    return;
  }
  const [header, ...rows] = expectation.children.map((child) => wordsOf(lineOf(child)));
  assert.deepEqual(
    [...frame.series.keys()].map((key) => world.nameKey(key)),
    header.slice(1),
    shown,
  );
  const times = rows.map(([time], i) => readTime(time, expectation.children[i + 1].line));
  assert.deepEqual([...frame.timesUs], times, shown);
  const columns = [...frame.series.values()];
  rows.forEach(([time, ...cells], row) => {
    assert.equal(cells.length, columns.length, `the row of ${time} has ${cells.length} values`);
    for (const [i, cell] of cells.entries()) {
      assert.ok(
        isExpected(columns[i][row], cell),
        `${time} ${header[i + 1]}
${shown}`,
      );
    }
  });
}

/** A frame as the table that a case would have. */
function show(frame: Frame, world: World): string {
  const columns = [...frame.series.values()];
  const header = ['time', ...[...frame.series.keys()].map((key) => world.nameKey(key))].join(' ');
  const rows = Array.from(frame.timesUs, printInstant).map((time, row) =>
    [time, ...columns.map((column) => (Number.isNaN(column[row]) ? '_' : column[row]))].join(' '),
  );
  return ['answered was', header, ...rows].join('\n');
}

/**
 * `formulas <title>`: the lines of an evaluate, then under `expect` lines `<formula> -> <value for each bucket>` or
 * `<formula> -> error <part of the message>`. Each is a case.
 */
function formulaCases(block: Block): Case[] {
  const at = block.children.findIndex(({ command }) => command === 'expect');
  if (at !== block.children.length - 1)
    throw new ScriptError(block.line, 'a list of formulas ends with one "expect"');
  return block.children[at].children.map((child) => {
    const [formula, expected] = lineOf(child).split(' -> ');
    if (expected === undefined) throw new ScriptError(child.line, 'meant is: <formula> -> <values>');
    return {
      title: `${block.text}: ${formula} is ${expected}`,
      run: (world) => checkFormula(formula, expected, block.children.slice(0, at), child.line, world),
    };
  });
}

async function checkFormula(
  formula: string,
  expected: string,
  lines: readonly Block[],
  line: number,
  world: World,
): Promise<void> {
  const request = readRequest(lines, world);
  request.calculations.push({ alias: 'result', formula });
  request.data.series = ['result'];
  const answered = answer('evaluate', request, world);
  if (expected.startsWith('error ')) {
    const problems = await answered.then(() => null, problemsOf);
    const texts = problems?.[`calculations.${request.calculations.length - 1}.formula`] ?? [];
    assert.ok(
      texts.some((text) => text.includes(expected.slice(6))),
      JSON.stringify(problems),
    );
    return;
  }
  const frame = await answered;
  const shown = show(frame, world);
  const cells = wordsOf(expected);
  const { fromUs, beforeUs, rollup } = request.data;
  if (
    fromUs === null ||
    beforeUs === null ||
    rollup === null ||
    rollup === 'window' ||
    rollup.kind !== 'fixed'
  ) {
    throw new ScriptError(line, 'a list of formulas needs a window and a fixed rollup');
  }
  assert.equal(cells.length, (beforeUs - fromUs) / rollup.us, 'one value for each bucket');
  const [column] = frame.series.values();
  cells.forEach((cell, i) => {
    const row = frame.timesUs.indexOf(fromUs + i * rollup.us);
    assert.ok(
      isExpected(row < 0 ? Number.NaN : column[row], cell),
      `bucket ${i + 1} is not ${cell}\n${shown}`,
    );
  });
}

function fail(line: number, message: string): never {
  throw new ScriptError(line, message);
}
