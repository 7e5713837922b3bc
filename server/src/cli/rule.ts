/** `tidemark rule …`: publishing rules, by which signals become items (P1). */
import { Option } from 'commander';
import { type RuleOutcome, type RuleReport, ruleActions } from '#domain/publishing/outcome';
import type { PublishRules } from '#domain/publishing/publish-rules';
import { viewReport } from '#methods/publish-report-view';
import { parseRule, ruleSaveSchema, viewRule } from '#methods/publish-rule-view';
import type { PublishRule } from '#model/publish-rule';
import { counted } from '#model/text';
import { compileReader } from '#protocol/schema';
import { cliAct } from './act.ts';
import type { Call, CommandDefinition } from './command.ts';
import { withDomain } from './data-directory.ts';
import { numberOption, readJsonFile } from './options.ts';
import { mayRemove, removalOptions } from './removal.ts';
import { printResult } from './result.ts';
import { printJson, printTable } from './terminal.ts';
import { UsageError } from './usage.ts';

/** The commands. */
export const definition: readonly CommandDefinition[] = [
  {
    usage: 'save <file>',
    summary: 'create a rule from a JSON file, or replace the one of the same name',
    notes: `The file holds what console.rules.save takes, for example
{"name": "north", "filter": {"labels.site": "north"}, "item": {"name": "{labels.site|upper} {name}"}}
A running service applies the rule to signals that are saved from now on, "tidemark rule run" to all at once.`,
    action: save,
  },
  { usage: 'list', summary: 'list the rules, by position', action: list },
  { usage: 'show <name>', summary: 'print a rule as JSON, as "rule save" takes it', action: show },
  {
    usage: 'delete <name>',
    summary: 'delete a rule; the items that it made stay',
    options: removalOptions,
    action: remove,
  },
  {
    usage: 'run',
    summary: 'apply the rules to all signals; exit code 1 when there are conflicts',
    options: [
      new Option('--dry-run', 'change nothing; print what would be done'),
      numberOption('--outcomes <N>', 'how many signals to list (default: 50)', 0, 1000),
    ],
    action: carryOut,
  },
];

async function save(call: Call): Promise<undefined> {
  const view = compileReader(ruleSaveSchema).read(await readJsonFile(String(call.args[0])));
  const choice = parseRule(view, call.config.limits);
  const rule = await withDomain(call, false, async ({ publishRules }) => {
    const known = (await publishRules.list()).find(({ name }) => name === choice.name);
    if (known === undefined) return publishRules.create(cliAct(), choice);
    return publishRules.change(cliAct(), known.id, () => choice);
  });
  printResult(call, viewRule(rule), `saved the rule ${rule.name}`);
}

async function list(call: Call): Promise<undefined> {
  const rules = await withDomain(call, false, ({ publishRules }) => publishRules.list());
  const table = printTable(['position', 'name', 'enabled', 'filter', 'item'], rules.map(cellsOf));
  printResult(call, rules.map(viewRule), table);
}

async function show(call: Call): Promise<undefined> {
  const rule = await withDomain(call, false, ({ publishRules }) => named(publishRules, call));
  const { id, createdAt, updatedAt, ...choice } = viewRule(rule);
  printResult(call, { id, ...choice, createdAt, updatedAt }, printJson(choice));
}

async function remove(call: Call): Promise<undefined> {
  const isConfirmed = await mayRemove(call, async ({ publishRules }) => {
    const { name } = await named(publishRules, call);
    return { text: `the publishing rule ${name}; the items that it made stay`, view: { rule: name } };
  });
  if (!isConfirmed) return;
  const name = await withDomain(call, false, async ({ publishRules }) => {
    const rule = await named(publishRules, call);
    await publishRules.delete(cliAct(), rule.id);
    return rule.name;
  });
  printResult(call, { deleted: name }, `deleted the rule ${name}`);
}

async function carryOut(call: Call): Promise<number> {
  const isPreview = call.options['dryRun'] === true;
  const run = { outcomesMax: (call.options['outcomes'] as number | undefined) ?? 50 };
  const { report, rules } = await withDomain(call, false, async ({ publishRules }) => ({
    rules: await publishRules.list(),
    report: isPreview ? await publishRules.preview(run) : await publishRules.run(cliAct(), run),
  }));
  printResult(call, viewReport(report, isPreview), reportText(report, rules, isPreview));
  return report.counts.conflict > 0 ? 1 : 0;
}

async function named(publishRules: Pick<PublishRules, 'list'>, { args }: Call): Promise<PublishRule> {
  const name = String(args[0]);
  const rule = (await publishRules.list()).find((known) => known.name === name);
  if (rule === undefined) throw new UsageError(`no publishing rule has the name ${JSON.stringify(name)}`);
  return rule;
}

function cellsOf({ position, name, isEnabled, filterText, item }: PublishRule): string[] {
  return [String(position), name, isEnabled ? 'yes' : 'no', filterText, item.name];
}

function reportText(
  { counts, unmatched, outcomes }: RuleReport,
  rules: readonly PublishRule[],
  isPreview: boolean,
) {
  const names = new Map(rules.map(({ id, name }) => [id, name]));
  const headings = ['signal', 'rule', isPreview ? 'would' : 'action', 'item'];
  const cells = (outcome: RuleOutcome) => [
    outcome.signal.input,
    names.get(outcome.rule) ?? outcome.rule,
    outcome.action,
    outcome.conflict?.message ?? outcome.item?.attributes.name ?? '-',
  ];
  const table = outcomes.length === 0 ? '' : printTable(headings, outcomes.map(cells));
  const totals = ruleActions.map((action) => `${counts[action]} ${action}`).join(', ');
  return `${table}${totals}; ${counted(unmatched, 'signal')} without a rule`;
}
