/** The thread that opens many files and closes them again, for the room that this leaves: `workerData` says how many. */
import { closeSync, openSync, readFileSync } from 'node:fs';
import { workerData } from 'node:worker_threads';

const files: number[] = [];
try {
  const target = Math.min(workerData as number, fileLimit() / 2);
  while (files.length < target) files.push(openSync('/dev/null', 'r'));
} finally {
  for (const file of files) closeSync(file);
}

/** How many files the process may open. */
function fileLimit(): number {
  const limit = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
  return limit === undefined ? Number.POSITIVE_INFINITY : Number(limit);
}
