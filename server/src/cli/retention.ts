/** `tidemark retention …`: how long points are kept, and the deletion of older ones (L5). */
import { Option } from 'commander';
import { keepOf, type RetentionOutcome, type RetentionReport } from '#domain/retention/retention';
import { durationProblem, parseDuration } from '#model/duration';
import { printInstant } from '#model/instant-printer';
import { printScope, type RetentionRule, type RetentionScope } from '#model/retention';
import { cliAct } from './act.ts';
import type { Call, CommandDefinition } from './command.ts';
import { changeDomain, withDomain } from './data-directory.ts';
import { printResult, printRows } from './result.ts';
import { printCount, printTable } from './terminal.ts';
import { UsageError } from './usage.ts';

const scopeOptions = [
  new Option('--integration <ID>', 'the signals of this integration').conflicts('label'),
  new Option('--label <KEY=VALUE>', 'the signals with this value of a label'),
];

/** The commands. */
export const definition: readonly CommandDefinition[] = [
  {
    usage: 'set',
    summary: 'set how long points are kept; points without a rule are kept forever',
    options: [
      new Option(
        '--keep <DURATION>',
        'delete points that are older: P400D, PT36H, P2Y, P18M or "forever"',
      ).makeOptionMandatory(),
      ...scopeOptions,
    ],
    notes: `Without --integration and --label the rule is for all signals. A rule by label takes precedence over one by integration, which
takes precedence over the rule for all; of several labels the one that keeps longest applies. A running service applies the
rules every hour, "tidemark retention run" at once.`,
    action: set,
  },
  { usage: 'list', summary: 'list the rules', action: list },
  { usage: 'remove', summary: 'remove a rule', options: scopeOptions, action: remove },
  {
    usage: 'run',
    summary: 'apply the rules now, and delete the remaining points of deleted signals',
    options: [new Option('--dry-run', 'delete nothing; print what would be deleted')],
    action: carryOut,
  },
];

async function set(call: Call): Promise<undefined> {
  const rule = { scope: readScope(call), keep: readKeep(String(call.options.keep)) };
  await changeDomain(call, false, ({ retention }) => retention.set(cliAct(), rule));
  const keep = rule.keep === null ? 'forever' : `for ${keepOf(rule)}`;
  printResult(call, viewOf(rule), `points of ${wordsOf(rule.scope)} are kept ${keep}`);
}

async function list(call: Call): Promise<undefined> {
  const rules = await withDomain(call, false, ({ retention }) => retention.rules());
  printRows(call, rules.map(viewOf), ['scope', 'keep'], Object.values);
}

async function remove(call: Call): Promise<undefined> {
  const scope = readScope(call);
  await changeDomain(call, false, ({ retention }) => retention.remove(cliAct(), scope));
  printResult(call, { removed: printScope(scope) }, `removed the rule for ${wordsOf(scope)}`);
}

async function carryOut(call: Call): Promise<undefined> {
  const dryRun = call.options.dryRun === true;
  const report = await withDomain(call, false, ({ retention }) => retention.run(cliAct(), { dryRun }));
  const { outcomes, orphans } = report;
  const view = { dryRun, orphans, rules: outcomes.map(outcomeView) };
  printResult(call, view, reportText(report, dryRun));
}

function reportText({ outcomes, orphans }: RetentionReport, dryRun: boolean): string {
  const would = dryRun ? 'would be deleted' : 'deleted';
  const headings = ['scope', 'keep', 'signals', 'before', 'affected', would];
  const table = printTable(headings, outcomes.map(cellsOf));
  if (orphans === 0) return table;
  return `${table}points of ${printCount(orphans, 'deleted signal')} ${dryRun ? 'would be' : 'are'} deleted too`;
}

function cellsOf(outcome: RetentionOutcome): string[] {
  const { scope, keep, before, signals, affected, points } = outcomeView(outcome);
  return [scope, keep, String(signals), before ?? '-', String(affected), String(points)];
}

function outcomeView({ rule, beforeUs, signals, affected, points }: RetentionOutcome) {
  const before = beforeUs === null ? null : printInstant(beforeUs);
  return { ...viewOf(rule), before, signals, affected, points };
}

function viewOf(rule: RetentionRule) {
  return { scope: printScope(rule.scope), keep: keepOf(rule) };
}

function wordsOf(scope: RetentionScope): string {
  if (scope.kind === 'all') return 'all signals';
  if (scope.kind === 'integration') return `integration ${scope.integration}`;
  return `signals with the label ${scope.key}=${scope.value}`;
}

function readScope({ options }: Call): RetentionScope {
  const { integration, label } = options as Record<string, string | undefined>;
  if (integration !== undefined) return { kind: 'integration', integration };
  if (label === undefined) return { kind: 'all' };
  const at = label.indexOf('=');
  if (at > 0 && at < label.length - 1) {
    return { kind: 'label', key: label.slice(0, at), value: label.slice(at + 1) };
  }
  throw new UsageError(`--label must be KEY=VALUE, got ${JSON.stringify(label)}`);
}

function readKeep(text: string) {
  if (text === 'forever') return null;
  const problem = durationProblem(text);
  if (problem !== null)
    throw new UsageError(`--keep ${problem.replace(/^must be /, 'must be "forever" or ')}`);
  return parseDuration(text);
}
