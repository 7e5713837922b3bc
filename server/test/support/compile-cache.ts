/** Where Node keeps what it has compiled, for the many processes that tests start: a start takes half the time. */
import { fileURLToPath } from 'node:url';

/** Goes into the environment of a process. What is there depends on the files alone, and processes may share it. */
export const compileCache = {
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../../../node_modules/.cache/tidemark-tests', import.meta.url)),
};
