/** console.instance.update and console.retention.*: settings of the whole instance. */
import Type from 'typebox';
import { keepOf, type RetentionOutcome } from '#domain/retention/retention';
import { type Duration, durationProblem, parseDuration } from '#model/duration';
import { invalidParams } from '#model/error';
import { printInstant } from '#model/instant-printer';
import { quote } from '#model/problem-list';
import { parseScope, printScope, type RetentionRule, type RetentionScope } from '#model/retention';
import type { Method } from '#protocol/method';
import { closed, nullable, titled } from '#protocol/schema';
import { actOf } from '../act.ts';
import type { MethodServices } from '../services.ts';
import { defineAct, defineConsole, defineView } from './define-console.ts';

const instance = {
  name: Type.String({ description: '1-64 characters.' }),
  color: Type.String({ description: '#rrggbb; empty: the default.' }),
  timeZone: Type.String({ description: 'IANA name of a time zone.' }),
};

const scopeSchema = Type.String({
  description: 'The signals of the rule: "all", "integration:<ID>" or "label:<key>=<value>".',
});
const keepSchema = Type.String({
  description: 'How long points are kept: P400D, P2Y, PT36H, or "forever".',
});

const ruleSchema = titled('RetentionRule', { scope: scopeSchema, keep: keepSchema });

const outcomeSchema = titled('RetentionOutcome', {
  scope: scopeSchema,
  keep: keepSchema,
  before: nullable(Type.String(), {
    description: 'RFC 3339, UTC: points before this time are deleted; null: none.',
  }),
  signals: Type.Integer({ description: 'Number of signals of the rule.' }),
  affected: Type.Integer({ description: 'Number of them with points that are deleted.' }),
  points: Type.Integer({ description: 'Number of points that are deleted.' }),
});

type Services = Pick<MethodServices, 'settings' | 'retention'>;

/** The definitions. */
export function consoleSettings({ settings, retention }: Services): Method[] {
  const instanceMethod = defineConsole({
    name: 'console.instance.update',
    summary: 'Changes the name, the colour or the time zone of the instance.',
    params: Type.Object({
      name: Type.Optional(instance.name),
      color: Type.Optional(instance.color),
      timeZone: Type.Optional(instance.timeZone),
    }),
    result: titled('Instance', instance),
    run: (call, choice) => settings.change(actOf(call), choice),
  });
  return [
    instanceMethod,
    defineView({
      name: 'console.retention.list',
      summary: 'Lists the retention rules, by scope (L5).',
      result: closed({ rules: Type.Array(ruleSchema) }),
      run: async () => ({ rules: (await retention.rules()).map(viewRule) }),
    }),
    defineAct({
      name: 'console.retention.set',
      summary: 'Creates or replaces the retention rule of a scope; it is applied within an hour.',
      params: Type.Object({ scope: scopeSchema, keep: keepSchema }),
      act: (call, { scope, keep }) => retention.set(actOf(call), ruleOf(scope, keep)),
    }),
    defineAct({
      name: 'console.retention.remove',
      summary: 'Removes the retention rule of a scope.',
      params: Type.Object({ scope: scopeSchema }),
      act: (call, { scope }) => retention.remove(actOf(call), scopeOf(scope)),
    }),
    defineConsole({
      role: 'viewer',
      name: 'console.retention.preview',
      summary:
        'Returns what the rules would delete now, optionally with one rule added, replaced or removed; deletes nothing.',
      load: 'read',
      params: Type.Object({
        scope: Type.Optional(scopeSchema),
        keep: Type.Optional(keepSchema),
      }),
      result: closed({ rules: Type.Array(outcomeSchema) }),
      async run(_call, { scope, keep }) {
        const rules = await retention.rules();
        const outcomes = await retention.preview(withRule(rules, scope, keep));
        return { rules: outcomes.map(viewOutcome) };
      },
    }),
  ];
}

function withRule(
  rules: readonly RetentionRule[],
  scope: string | undefined,
  keep: string | undefined,
): RetentionRule[] {
  if (scope === undefined) return [...rules];
  const others = rules.filter((rule) => printScope(rule.scope) !== scope);
  return keep === undefined ? others : [...others, ruleOf(scope, keep)];
}

function ruleOf(scope: string, keep: string): RetentionRule {
  return { scope: scopeOf(scope), keep: durationOf(keep) };
}

const scopeForm = /^(?:all|integration:[a-v0-9]{20}|label:[A-Za-z0-9\-_/]{1,128}=.+)$/su;

function scopeOf(text: string): RetentionScope {
  if (scopeForm.test(text)) return parseScope(text);
  const forms = '"all", "integration:<ID>" or "label:<key>=<value>"';
  throw invalidParams({ scope: [`must be ${forms}, got ${quote(text)}`] });
}

function durationOf(text: string): Duration | null {
  if (text === 'forever') return null;
  const problem = durationProblem(text);
  if (problem !== null)
    throw invalidParams({ keep: [problem.replace(/^must be /, 'must be "forever" or ')] });
  return parseDuration(text);
}

function viewRule(rule: RetentionRule) {
  return { scope: printScope(rule.scope), keep: keepOf(rule) };
}

function viewOutcome({ rule, beforeUs, signals, affected, points }: RetentionOutcome) {
  const before = beforeUs === null ? null : printInstant(beforeUs);
  return { ...viewRule(rule), before, signals, affected, points };
}
