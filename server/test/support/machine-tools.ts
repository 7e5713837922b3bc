/** Programs of the operating system that some tests put to work; .ci/run installs them. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { TestContext } from 'node:test';

/** Directories of administrators' programs, which may be missing from the PATH. */
const places = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/sbin'];

/**
 * The path of a program. Where it is missing the test ends with the reason, as skipped; with `MACHINE_TOOLS=required` in
 * the environment, as in .ci/run, it fails.
 */
export function findTool(t: TestContext, name: string): string | null {
  const found = places.map((place) => join(place, name)).find((path) => existsSync(path));
  if (found !== undefined) return found;
  const reason = `${name} is not installed on this machine`;
  assert.notEqual(process.env.MACHINE_TOOLS, 'required', reason);
  t.skip(reason);
  return null;
}
