/** File and folder names: kebab-case nouns and verbs, none of the words under which anything could be kept. */
import { basename } from 'node:path';
import type { Finding } from './source.ts';

const empty = new Set('util utils helper helpers common misc manager managers types core shared'.split(' '));
const kebab = /^[a-z0-9]+(-[a-z0-9]+)*(\.(test|contract|golden|d))*$/;

/** What is wrong with the names along the path of a TypeScript file. */
export function badNames(path: string): Finding[] {
  return path
    .split('/')
    .map((part) => basename(basename(part, '.tsx'), '.ts'))
    .flatMap((part) => badName(part))
    .map((message) => ({ path, line: 1, message }));
}

function badName(name: string): string[] {
  const words = name.split(/[-.]/).filter((word) => empty.has(word));
  return [
    ...(kebab.test(name) ? [] : [`"${name}" is not kebab-case`]),
    ...words.map((word) => `"${word}" says nothing: name what the file holds`),
  ];
}
