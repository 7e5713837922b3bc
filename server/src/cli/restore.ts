/** `tidemark restore`: creates a data directory from a backup. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Json } from '#domain/audit/canonical';
import { sqliteFiles } from '#storage/sqlite/files';
import { cliAct } from './act.ts';
import { verified, verifyOption } from './backup.ts';
import { countsOf, type FullReport } from './check.ts';
import { requireEmbedded } from './cluster-addresses.ts';
import type { Call, CommandBody } from './command.ts';
import { withDomain } from './data-directory.ts';
import { printResult } from './result.ts';

/** The command. */
export const definition: CommandBody = {
  options: [verifyOption],
  action: restore,
};

async function restore(call: Call): Promise<undefined> {
  const { config, options, args, terminal } = call;
  const { data } = config.settings;
  requireEmbedded(config, 'restore', 'restore them with pg_restore and RESTORE of ClickHouse');
  const file = String(args[0]);
  sqliteFiles.requireRestorable(file, data);
  const report = options.verify === false ? null : await verified(file, terminal);
  const change = await restoredFrom(file, report);
  await sqliteFiles.restore(file, data, (staging) => noteRestored(call, staging, change));
  const note = report === null ? 'not checked' : countsOf(report);
  const text = `restored ${file} to ${data} (${note}); start it with "tidemark serve --data ${data}"`;
  printResult(call, { file, data, checked: report !== null, ...change }, text);
}

/** The audit's description of the file that a store was restored from; null: not counted. */
async function restoredFrom(file: string, report: FullReport | null): Promise<{ [field: string]: Json }> {
  const { size: bytes } = await stat(file);
  const sha256 = await sha256Of(file);
  return {
    backup: basename(file),
    bytes,
    sha256,
    pointsInBlocks: report?.points ?? null,
    batchesInLog: report?.logRows ?? null,
  };
}

async function sha256Of(file: string): Promise<string> {
  const sum = createHash('sha256');
  await pipeline(createReadStream(file, { highWaterMark: 1024 * 1024 }), sum);
  return sum.digest('hex');
}

/** Records the restore in the audit of the restored store (L4a), before the store is moved to its place. */
function noteRestored({ config, terminal }: Call, staging: string, change: Json): Promise<void> {
  const settings = { ...config.settings, data: staging };
  return withDomain({ config: { ...config, settings }, terminal }, false, ({ audit }) =>
    audit.note(cliAct(), { action: 'store.restore', target: 'store', change }),
  );
}
