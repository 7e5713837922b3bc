/** `tidemark audit …`: the administrative acts (L4a). */
import { Option } from 'commander';
import { auditView, type ChainHead, type ChainVerdict } from '#domain/audit/chain';
import type { AuditRow } from '#storage/meta-store';
import { cliAct } from './act.ts';
import type { Call, CommandDefinition } from './command.ts';
import { withDomain } from './data-directory.ts';
import { numberOption } from './options.ts';
import { printResult } from './result.ts';
import { printCount, printDate, printTable } from './terminal.ts';
import { exitCodes, UsageError } from './usage.ts';

/** The commands. */
export const definition: readonly CommandDefinition[] = [
  {
    usage: 'list',
    summary: 'list acts, newest first',
    options: [
      numberOption('--limit <N>', 'number of acts', 1, 1_000_000).default(50),
      new Option('--actor <ACTOR>', 'only acts of this actor, for example cli:root'),
      new Option('--action <ACTION>', 'only this action, for example credential.revoke'),
      new Option('--target <TARGET>', 'only acts on this ID or name'),
    ],
    action: list,
  },
  {
    usage: 'verify',
    summary: 'check the chain of hashes; exit code 1 when it is broken',
    options: [new Option('--head <SEQ:HASH>', 'the head of an earlier check, which must still be present')],
    action: verify,
  },
  {
    usage: 'export',
    summary: 'write all acts to stdout, oldest first, one JSON object per line',
    action: exportAll,
  },
  {
    usage: 'prune',
    summary: 'delete old acts; the remaining ones can still be checked',
    options: [
      numberOption('--keep-days <N>', 'keep the acts of this many days', 1, 36_500).makeOptionMandatory(),
    ],
    action: prune,
  },
];

async function list(call: Call): Promise<undefined> {
  const {
    limit,
    actor = null,
    action = null,
    target = null,
  } = call.options as {
    limit: number;
  } & Partial<Record<'actor' | 'action' | 'target', string>>;
  const rows = await withDomain(call, false, ({ audit }) => audit.list({ limit, actor, action, target }));
  const headings = ['seq', 'time', 'actor', 'origin', 'action', 'target', 'change'];
  const cells = rows.map(({ seq, timeMs, actor, origin, action, target, change }) => [
    ...[String(seq), printDate(timeMs), actor, origin, action, target, change],
  ]);
  printResult(call, rows.map(viewOf), printTable(headings, cells));
}

async function verify(call: Call): Promise<number> {
  const expected = readHead(call.options.head as string | undefined);
  const verdict = await withDomain(call, false, ({ audit }) => audit.verify(expected));
  printResult(call, verdict, describe(verdict));
  return verdict.ok ? exitCodes.ok : exitCodes.failed;
}

async function exportAll(call: Call): Promise<undefined> {
  await withDomain(call, false, async ({ audit }) => {
    for await (const row of audit.rows()) call.terminal.stdout.write(`${JSON.stringify(viewOf(row))}\n`);
  });
}

async function prune(call: Call): Promise<undefined> {
  const keepDays = call.options.keepDays as number;
  const forgotten = await withDomain(call, false, ({ audit }) => audit.prune(cliAct(), keepDays));
  printResult(call, { forgotten }, `deleted ${printCount(forgotten, 'act')}`);
}

function viewOf(row: AuditRow) {
  return { ...auditView(row), hash: row.hash };
}

function describe(verdict: ChainVerdict): string {
  if (!verdict.ok) return `broken at seq ${verdict.seq}: ${verdict.problem}`;
  const { rows, firstSeq, head } = verdict;
  const from = firstSeq > 1 ? `, from seq ${firstSeq}: older ones were deleted by a recorded pruning` : '';
  return `complete: ${printCount(rows, 'act')}${from}; head ${head.seq}:${head.hash}`;
}

function readHead(text: string | undefined): ChainHead | null {
  if (text === undefined) return null;
  const match = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text);
  if (match !== null) return { seq: Number(match[1]), hash: match[2] };
  throw new UsageError(`--head must be SEQ:HASH as "audit verify" prints it, got ${JSON.stringify(text)}`);
}
