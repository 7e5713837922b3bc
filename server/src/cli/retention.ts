/** `tidemark retention …`: how long points are kept, and the deletion of older ones (L5). */
import { type Command, Option } from 'commander';
import { keepOf, type RetentionOutcome, type RetentionReport } from '#domain/retention/retention';
import { durationProblem, parseDuration } from '#model/duration';
import { printInstant } from '#model/instant-printer';
import { printScope, type RetentionRule, type RetentionScope } from '#model/retention';
import { cliAct } from './act.ts';
import { type Call, define, type Runner } from './command.ts';
import { changeDomain, withDomain } from './data-directory.ts';
import { printCount, printJson, printTable } from './terminal.ts';
import { UsageError } from './usage.ts';

const scopeNote = `
Without --integration and --label the rule is for all signals. A rule by label wins over one by integration, which wins
over the rule for all; of several labels the one that keeps longest wins. A running service carries the rules out every
hour, "tidemark retention run" at once.`;

/** Adds the commands. */
export function defineRetention(root: Command, run: Runner): void {
  const group = root.command('retention').summary('say how long points are kept, and delete older ones');
  define(group, run, {
    usage: 'set',
    summary: 'keep points for so long; points of no rule are kept',
    settings: ['data'],
    options: [
      new Option(
        '--keep <DURATION>',
        'delete points that are older: P400D, PT36H, P2Y, P18M or "forever"',
      ).makeOptionMandatory(),
      ...scopeOptions(),
    ],
    action: set,
  }).addHelpText('after', scopeNote);
  define(group, run, { usage: 'list', summary: 'list the rules', settings: ['data'], action: list });
  define(group, run, {
    usage: 'remove',
    summary: 'remove a rule',
    settings: ['data'],
    options: scopeOptions(),
    action: remove,
  });
  define(group, run, {
    usage: 'run',
    summary: 'delete what the rules say, and what deleted signals left behind',
    settings: ['data'],
    options: [new Option('--dry-run', 'delete nothing; say what would go')],
    action: carryOut,
  });
}

function scopeOptions(): Option[] {
  return [
    new Option('--integration <ID>', 'the signals of this integration').conflicts('label'),
    new Option('--label <KEY=VALUE>', 'the signals with this value of a label'),
  ];
}

async function set(call: Call): Promise<undefined> {
  const rule = { scope: readScope(call), keep: readKeep(String(call.options.keep)) };
  await changeDomain(call, false, ({ retention }) => retention.set(cliAct(), rule));
  const words = rule.keep === null ? 'are kept for ever' : `are kept for ${keepOf(rule)}`;
  say(call, viewOf(rule), `points of ${wordsOf(rule.scope)} ${words}`);
}

async function list(call: Call): Promise<undefined> {
  const rules = await withDomain(call, false, ({ retention }) => retention.rules());
  const rows = rules.map((rule) => [printScope(rule.scope), keepOf(rule)]);
  say(call, rules.map(viewOf), printTable(['scope', 'keep'], rows).trimEnd());
}

async function remove(call: Call): Promise<undefined> {
  const scope = readScope(call);
  await changeDomain(call, false, ({ retention }) => retention.remove(cliAct(), scope));
  say(call, { removed: printScope(scope) }, `removed the rule for ${wordsOf(scope)}`);
}

async function carryOut(call: Call): Promise<undefined> {
  const dryRun = call.options.dryRun === true;
  const report = await withDomain(call, false, ({ retention }) => retention.run(cliAct(), { dryRun }));
  const { outcomes, orphans } = report;
  const view = { dryRun, orphans, rules: outcomes.map(outcomeView) };
  say(call, view, reportText(report, dryRun));
}

function reportText({ outcomes, orphans }: RetentionReport, dryRun: boolean): string {
  const headings = ['scope', 'keep', 'signals', 'before', 'affected', dryRun ? 'would go' : 'deleted'];
  const lines = [printTable(headings, outcomes.map(rowOf)).trimEnd()];
  if (orphans > 0) {
    const gone = `${printCount(orphans, 'signal')} that ${orphans === 1 ? 'is' : 'are'} gone`;
    lines.push(`points of ${gone} ${dryRun ? 'would go' : 'are deleted'} too`);
  }
  return lines.join('\n');
}

function rowOf({ rule, beforeUs, signals, affected, points }: RetentionOutcome): string[] {
  const before = beforeUs === null ? '-' : printInstant(beforeUs);
  const counts = [signals, affected, points].map(String);
  return [printScope(rule.scope), keepOf(rule), counts[0], before, counts[1], counts[2]];
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

function say({ config, terminal }: Call, value: unknown, text: string): void {
  terminal.stdout.write(config.settings.json ? printJson(value) : `${text}\n`);
}
