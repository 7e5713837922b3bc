/** `tidemark audit …`: who changed what (L4a). */
import { type Command, Option } from 'commander';
import { auditView, type ChainHead, type ChainVerdict } from '#domain/audit/chain';
import type { AuditRow } from '#storage/meta-store';
import { cliAct } from './act.ts';
import { type Call, define, type Runner } from './command.ts';
import { withDomain } from './data-directory.ts';
import { printCount, printJson, printTable } from './terminal.ts';
import { exitCodes, UsageError } from './usage.ts';

/** Adds the commands. */
export function defineAudit(root: Command, run: Runner): void {
  const group = root
    .command('audit')
    .summary('look at what administrators did, and check that it is complete');
  define(group, run, {
    usage: 'list',
    summary: 'list acts, the newest first',
    settings: ['data'],
    options: [
      new Option('--limit <N>', 'so many of them').default('50'),
      new Option('--actor <ACTOR>', 'only of this actor, for example cli:root'),
      new Option('--action <ACTION>', 'only this action, for example credential.revoke'),
      new Option('--target <TARGET>', 'only on this ID or name'),
    ],
    action: list,
  });
  define(group, run, {
    usage: 'verify',
    summary: 'check the chain of hashes; exit code 1 when it is broken',
    settings: ['data'],
    options: [
      new Option('--head <SEQ:HASH>', 'the head that an earlier check ended with: it must be there still'),
    ],
    action: verify,
  });
  define(group, run, {
    usage: 'export',
    summary: 'write all acts to stdout, oldest first, one JSON object a line',
    settings: ['data'],
    action: exportAll,
  });
  define(group, run, {
    usage: 'prune',
    summary: 'forget old acts; what is left can still be checked',
    settings: ['data'],
    options: [new Option('--keep-days <N>', 'keep those of so many days').makeOptionMandatory()],
    action: prune,
  });
}

async function list({ options, ...call }: Call): Promise<undefined> {
  const limit = readNumber('--limit', options.limit, 1, 1_000_000);
  const { actor = null, action = null, target = null } = options as Record<string, string | undefined>;
  const rows = await withDomain(call, false, ({ audit }) => audit.list({ limit, actor, action, target }));
  if (call.config.settings.json) {
    call.terminal.stdout.write(printJson(rows.map(viewOf)));
    return;
  }
  const headings = ['seq', 'time', 'actor', 'origin', 'action', 'target', 'change'];
  call.terminal.stdout.write(printTable(headings, rows.map(cellsOf)));
}

async function verify({ options, ...call }: Call): Promise<number> {
  const expected = readHead(options.head as string | undefined);
  const verdict = await withDomain(call, false, ({ audit }) => audit.verify(expected));
  call.terminal.stdout.write(call.config.settings.json ? printJson(verdict) : `${wordsOf(verdict)}\n`);
  return verdict.ok ? exitCodes.ok : exitCodes.failed;
}

async function exportAll({ terminal, ...call }: Call): Promise<undefined> {
  await withDomain({ ...call, terminal }, false, async ({ audit }) => {
    for await (const row of audit.rows()) terminal.stdout.write(`${JSON.stringify(viewOf(row))}\n`);
  });
}

async function prune({ options, ...call }: Call): Promise<undefined> {
  const keepDays = readNumber('--keep-days', options.keepDays, 1, 36_500);
  const forgotten = await withDomain(call, false, ({ audit }) => audit.prune(cliAct(), keepDays));
  const { json } = call.config.settings;
  call.terminal.stdout.write(json ? printJson({ forgotten }) : `forgot ${printCount(forgotten, 'act')}\n`);
}

function viewOf(row: AuditRow) {
  return { ...auditView(row), hash: row.hash };
}

function cellsOf(row: AuditRow): string[] {
  const time = new Date(row.timeMs).toISOString();
  return [String(row.seq), time, row.actor, row.origin, row.action, row.target, row.change];
}

function wordsOf(verdict: ChainVerdict): string {
  if (!verdict.ok) return `broken at seq ${verdict.seq}: ${verdict.problem}`;
  const { rows, firstSeq, head } = verdict;
  const from =
    firstSeq > 1 ? `, from seq ${firstSeq}: older ones were forgotten by a pruning that is recorded` : '';
  return `whole: ${printCount(rows, 'act')}${from}; head ${head.seq}:${head.hash}`;
}

function readHead(text: string | undefined): ChainHead | null {
  if (text === undefined) return null;
  const match = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text);
  if (match !== null) return { seq: Number(match[1]), hash: match[2] };
  throw new UsageError(`--head must be SEQ:HASH as "audit verify" prints it, got ${JSON.stringify(text)}`);
}

function readNumber(flag: string, text: unknown, min: number, max: number): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= min && number <= max) return number;
  throw new UsageError(`${flag} must be a whole number from ${min} to ${max}, got ${JSON.stringify(text)}`);
}
