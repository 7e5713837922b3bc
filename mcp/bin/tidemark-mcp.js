#!/usr/bin/env node
/** The command `tidemark-mcp`; `tidemark mcp` runs the same. */
import { run } from '../src/main.ts';

process.exitCode = await run(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
});
