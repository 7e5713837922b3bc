/** Programs of the operating system that some tests put to work; .ci/run installs them. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
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
  return found ?? missing(t, name);
}

/** Debian's Python with paho: another one that comes first in the PATH does not have its packages. As {@link findTool}. */
export function findPaho(t: TestContext): string | null {
  const python = '/usr/bin/python3';
  try {
    execFileSync(python, ['-c', 'import paho.mqtt.client'], { stdio: 'ignore', timeout: 60_000 });
    return python;
  } catch {
    return missing(t, 'python3-paho-mqtt');
  }
}

function missing(t: TestContext, name: string): null {
  const reason = `${name} is not installed on this machine`;
  assert.notEqual(process.env.MACHINE_TOOLS, 'required', reason);
  t.skip(reason);
  return null;
}
