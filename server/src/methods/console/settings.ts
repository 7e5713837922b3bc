/** console.instance.update and console.retention.*: settings of the whole instance. */
import Type from 'typebox';
import type { Settings } from '#domain/people/settings';
import { keepOf, type Retention, type RetentionOutcome } from '#domain/retention/retention';
import { type Duration, durationProblem, parseDuration } from '#model/duration';
import { AppError, invalidParams } from '#model/error';
import { printInstant } from '#model/instant-printer';
import { quote } from '#model/problem-list';
import { parseScope, printScope, type RetentionRule, type RetentionScope } from '#model/retention';
import type { Method } from '#protocol/method';
import { strict } from '#protocol/schema';
import { actOf } from '../act.ts';
import { doneSchema } from './console-schemas.ts';
import { defineConsole } from './define-console.ts';

const instance = {
  name: Type.String({ description: '1-64 characters.' }),
  color: Type.String({ description: '#rrggbb; empty: the usual one.' }),
  timeZone: Type.String({ description: 'An IANA name.' }),
};

const scopeSchema = Type.String({
  description: 'Of which signals: "all", "integration:<ID>" or "label:<key>=<value>".',
});
const keepSchema = Type.String({
  description: 'For how long points are kept: P400D, P2Y, PT36H, or "forever".',
});

const outcomeSchema = Type.Object(
  {
    scope: scopeSchema,
    keep: keepSchema,
    before: Type.Union([Type.String(), Type.Null()], {
      description: 'RFC 3339, UTC: points before this go; null: none.',
    }),
    signals: Type.Integer({ description: 'Signals under the rule.' }),
    affected: Type.Integer({ description: 'Those of them that have points that go.' }),
    points: Type.Integer({ description: 'Points that go.' }),
  },
  { ...strict, title: 'RetentionOutcome' },
);

interface Services {
  settings: Settings;
  retention: Retention;
}

/** The definitions. */
export function consoleSettings(services: Services): Method[] {
  return [instanceMethod(services), ...ruleMethods(services), previewMethod(services)];
}

function instanceMethod(services: Services): Method {
  return defineConsole({
    name: 'console.instance.update',
    summary: 'Changes what the instance is called, its colour, or its time zone.',
    params: Type.Object({
      name: Type.Optional(instance.name),
      color: Type.Optional(instance.color),
      timeZone: Type.Optional(instance.timeZone),
    }),
    result: Type.Object(instance, { ...strict, title: 'Instance' }),
    run: (call, choice) => services.settings.change(actOf(call), choice),
  });
}

function ruleMethods(services: Services): Method[] {
  const ruleSchema = Type.Object(
    { scope: scopeSchema, keep: keepSchema },
    { ...strict, title: 'RetentionRule' },
  );
  return [
    defineConsole({
      role: 'viewer',
      name: 'console.retention.list',
      summary: 'Lists the rules of retention, by scope (L5).',
      params: Type.Object({}),
      result: Type.Object({ rules: Type.Array(ruleSchema) }, strict),
      run: async () => ({ rules: (await services.retention.rules()).map(viewRule) }),
    }),
    defineConsole({
      name: 'console.retention.set',
      summary:
        'Makes a rule of retention, or changes the one of its scope; it is carried out within the hour.',
      params: Type.Object({ scope: scopeSchema, keep: keepSchema }),
      result: doneSchema,
      async run(call, { scope, keep }) {
        await atScope(services.retention.set(actOf(call), ruleOf(scope, keep)));
        return {};
      },
    }),
    defineConsole({
      name: 'console.retention.remove',
      summary: 'Removes the rule of a scope.',
      params: Type.Object({ scope: scopeSchema }),
      result: doneSchema,
      async run(call, { scope }) {
        await atScope(services.retention.remove(actOf(call), scopeOf(scope)));
        return {};
      },
    }),
  ];
}

function previewMethod(services: Services): Method {
  return defineConsole({
    role: 'viewer',
    name: 'console.retention.preview',
    summary:
      'Says what would go at once by the rules as they are, or with one rule more or another one; deletes nothing.',
    load: 'read',
    params: Type.Object({
      scope: Type.Optional(scopeSchema),
      keep: Type.Optional(keepSchema),
    }),
    result: Type.Object({ rules: Type.Array(outcomeSchema) }, strict),
    async run(_call, { scope, keep }) {
      const rules = await services.retention.rules();
      const outcomes = await services.retention.preview(withRule(rules, scope, keep));
      return { rules: outcomes.map(viewOutcome) };
    },
  });
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

/** `not-found` refers to the scope. */
async function atScope(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== 'not-found') throw error;
    throw invalidParams({ scope: [error.message] });
  }
}

function viewRule(rule: RetentionRule) {
  return { scope: printScope(rule.scope), keep: keepOf(rule) };
}

function viewOutcome({ rule, beforeUs, signals, affected, points }: RetentionOutcome) {
  const before = beforeUs === null ? null : printInstant(beforeUs);
  return { ...viewRule(rule), before, signals, affected, points };
}
