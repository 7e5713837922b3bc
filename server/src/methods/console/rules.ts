/** console.rules.*: publishing rules, by which signals become items (P1). */
import Type from 'typebox';
import { withPaths } from '#model/error';
import type { Method } from '#protocol/method';
import { closed } from '#protocol/schema';
import { actOf } from '../act.ts';
import { reportSchema, viewReport } from '../publish-report-view.ts';
import { parseRule, ruleSaveSchema, ruleSchema, viewRule } from '../publish-rule-view.ts';
import type { MethodServices } from '../services.ts';
import { idParam } from './console-schemas.ts';
import { defineAct, defineConsole, defineView } from './define-console.ts';

const id = idParam('publishing rule');
const outcomesSchema = Type.Integer({
  default: 100,
  minimum: 0,
  maximum: 1000,
  description: 'How many outcomes to list; all are counted.',
});

type Services = Pick<MethodServices, 'publishRules' | 'limits'>;

/** The definitions. */
export function consoleRules(services: Services): Method[] {
  const { publishRules } = services;
  return [
    defineView({
      name: 'console.rules.list',
      summary: 'Lists the publishing rules, by position (P1).',
      result: closed({ rules: Type.Array(ruleSchema) }),
      run: async () => ({ rules: (await publishRules.list()).map(viewRule) }),
    }),
    saveMethod(services),
    defineAct({
      name: 'console.rules.delete',
      summary: 'Deletes a publishing rule; the items that it made stay.',
      params: Type.Object({ id }),
      act: (call, params) => publishRules.delete(actOf(call), params.id),
    }),
    previewMethod(services),
    defineConsole({
      name: 'console.rules.run',
      summary: 'Applies the publishing rules to all signals.',
      params: Type.Object({ outcomes: outcomesSchema }),
      result: reportSchema,
      async run(call, { outcomes: outcomesMax }) {
        const report = await publishRules.run(actOf(call), { outcomesMax, signal: call.signal });
        return viewReport(report, false);
      },
    }),
  ];
}

function saveMethod({ publishRules, limits }: Services): Method {
  return defineConsole({
    name: 'console.rules.save',
    summary:
      'Creates a publishing rule, or replaces the one with an ID; it applies to signals that are saved from now on.',
    params: Type.Object({ rule: ruleSaveSchema, id: Type.Optional(id) }),
    result: ruleSchema,
    run: (call, params) =>
      belowRule(async () => {
        const choice = parseRule(params.rule, limits);
        const act = actOf(call);
        const { id: known } = params;
        const saved =
          known === undefined
            ? await publishRules.create(act, choice)
            : await publishRules.change(act, known, () => choice);
        return viewRule(saved);
      }),
  });
}

function previewMethod({ publishRules, limits }: Services): Method {
  return defineConsole({
    role: 'viewer',
    name: 'console.rules.preview',
    summary:
      'Returns what a run would do now; with a rule: what it would do with the signals that this rule matches. Changes nothing.',
    load: 'read',
    params: Type.Object({
      rule: Type.Optional(ruleSaveSchema),
      id: Type.Optional(id),
      outcomes: outcomesSchema,
    }),
    result: reportSchema,
    run: (call, { rule, id: known, outcomes: outcomesMax }) =>
      belowRule(async () => {
        const choice = rule && parseRule(rule, limits);
        const draft = choice && publishRules.draft(choice, known);
        const report = await publishRules.preview({ draft, outcomesMax, signal: call.signal });
        return viewReport(report, true);
      }),
  });
}

/** Reports problems of the rule at the parameter `rule`. */
async function belowRule<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    throw withPaths(error, (path) => `rule.${path}`);
  }
}
