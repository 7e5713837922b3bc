/** How many service threads the services of the tests have: TEST_THREADS; without it as many as without a setting. */

/** Goes into the environment of a process. */
export const serviceThreads: Record<string, string> =
  process.env.TEST_THREADS === undefined ? {} : { TIDEMARK_THREADS: process.env.TEST_THREADS };
