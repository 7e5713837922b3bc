/** Which test files run in one process, one after the other: a start and the modules of a service take most of what a small file takes. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Files that start no process, and change nothing that another file of theirs sees. */
const small =
  /^(?:server\/test\/(?:unit|property|cases|wire\/(?:console|export|lettered|live|methods|protocol))\/|console\/test\/.*-pure\.test|client\/test\/(?:client|frame|points|wire|writer)\.test)/;
/** So many that the start counts for little, and that the last group to run is not alone for long. */
const filesMax = 12;

/** A file that a run is given: a test file, or the module of a group of them. */
export interface Entry {
  path: string;
  /** The test files. */
  files: readonly string[];
}

/** The files in their order, small neighbours as one entry; `directory` gets the modules of the groups. */
export function grouped(
  files: readonly string[],
  isAlone: (file: string) => boolean,
  directory: string,
): Entry[] {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const groups: string[][] = [];
  for (const file of files) {
    const last = groups.at(-1);
    const joins = isSmall(file) && last !== undefined && last.length < filesMax && isSmall(last[0]);
    if (joins) last.push(file);
    else groups.push([file]);
  }
  return groups.map((group, i) => entryOf(group, join(directory, `group-${i}.mjs`)));

  function isSmall(file: string): boolean {
    return small.test(file) && !isAlone(file);
  }
}

/** Each file is a test of the group's module, so that its hooks are its own, and its failures have its name. */
function entryOf(files: readonly string[], path: string): Entry {
  if (files.length === 1) return { path: files[0], files };
  const tests = files.map((file) => {
    const url = pathToFileURL(resolve(file)).href;
    return `test(${JSON.stringify(file)}, () => import(${JSON.stringify(url)}).then(() => {}));`;
  });
  writeFileSync(path, ["import { test } from 'node:test';", ...tests, ''].join('\n'));
  return { path, files };
}
