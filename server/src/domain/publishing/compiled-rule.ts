/** A publishing rule with its templates read (P2, P3), and what it makes of a signal. */
import { ProblemList } from '#model/problem-list';
import type { Entries, PublishRule, PublishRuleChoice } from '#model/publish-rule';
import type { Signal } from '#model/signal';
import { attributesOf, checkChange, keyPattern } from '../signals/attributes.ts';
import type { ItemChange } from '../signals/change.ts';
import type { MadeFields } from './notes.ts';
import { render, renderOne, type ValueMaps } from './render.ts';
import { parseTemplate } from './template.ts';
import type { Template } from './template-part.ts';

/** A rule that can be applied. */
export interface CompiledRule {
  rule: PublishRule;
  maps: ValueMaps;
  name: Template;
  description: Template | null;
  engUnit: Template | null;
  labels: readonly (readonly [string, Template | null])[];
  /** The key of {@link RuleJoin}; null: it has none. */
  key: Template | null;
}

/** What a rule makes of a signal: the item, and the key of the item that it joins; or what is wrong. */
export type Made = { fields: MadeFields; key: string | null } | { problem: string };

/** How much one rule may hold. */
const ruleLimits = { maps: 20, mapEntries: 1000, labels: 100, mapTextCharacters: 1024 } as const;

const mapName = /^[A-Za-z0-9\-_]{1,64}$/;

/** Reads the templates of a rule and checks it (P2); `invalid-params` with every problem, by path below the rule. */
export function compileRule(rule: PublishRule): CompiledRule {
  const problems = new ProblemList();
  checkMaps(rule.maps, problems);
  const names = new Set(rule.maps.map(([name]) => name));
  const read = (text: string, ...path: string[]): Template => {
    const template = parseTemplate(text, names);
    if (typeof template !== 'string') return template;
    problems.add(path, template);
    return [];
  };
  const { name, description, engUnit, labels, enumValues } = rule.item;
  const compiled: CompiledRule = {
    rule,
    maps: new Map(rule.maps.map(([map, entries]) => [map, new Map(entries)])),
    name: read(name, 'item', 'name'),
    description: description === null ? null : read(description, 'item', 'description'),
    engUnit: engUnit === null ? null : read(engUnit, 'item', 'engUnit'),
    labels: labels.map(([key, text]) => [key, text === null ? null : read(text, 'item', 'labels', key)]),
    key: rule.joins?.kind === 'key' ? read(rule.joins.key, 'join', 'key') : null,
  };
  checkChange({ enumValues: new Map(enumValues ?? []) }, (path, message) =>
    problems.add(['item', path], message),
  );
  checkLabels(labels, problems);
  problems.throwIfAny();
  return compiled;
}

function checkMaps(maps: PublishRuleChoice['maps'], problems: ProblemList): void {
  if (maps.length > ruleLimits.maps)
    problems.add(['maps'], `must be at most ${ruleLimits.maps}, got ${maps.length}`);
  for (const [name, entries] of maps.slice(0, ruleLimits.maps)) {
    if (!mapName.test(name)) problems.add(['maps', name], `the name must match ${mapName.source}`);
    if (entries.length > ruleLimits.mapEntries)
      problems.add(
        ['maps', name],
        `must have at most ${ruleLimits.mapEntries} entries, got ${entries.length}`,
      );
    const long = entries.find((texts) => texts.some((text) => text.length > ruleLimits.mapTextCharacters));
    if (long !== undefined)
      problems.add(['maps', name], `texts must be at most ${ruleLimits.mapTextCharacters} characters`);
  }
}

function checkLabels(labels: Entries<string | null>, problems: ProblemList): void {
  if (labels.length > ruleLimits.labels)
    problems.add(['item', 'labels'], `must be at most ${ruleLimits.labels}, got ${labels.length}`);
  for (const [key] of labels)
    if (!keyPattern.test(key))
      problems.add(['item', 'labels', key], `the key must match ${keyPattern.source}`);
}

/** What a rule makes of a signal that it matches (P4). */
export function makeOf(compiled: CompiledRule, signal: Signal): Made {
  const change = changeOf(compiled, signal);
  if ('problem' in change) return change;
  const key = compiled.key === null ? null : renderOne(compiled.key, signal, compiled.maps);
  if (typeof key === 'object' && key !== null) return { problem: `join key: ${key.problem}` };
  const problems: string[] = [];
  checkChange(change, (path, message) => problems.push(`${path}: ${message}`));
  if (problems.length > 0) return { problem: problems[0] };
  const attributes = attributesOf(change, signal.attributes.name);
  return { fields: { attributes, visible: compiled.rule.item.visible }, key };
}

function changeOf(compiled: CompiledRule, signal: Signal): ItemChange | { problem: string } {
  const texts = textsOf(compiled, signal);
  if ('problem' in texts) return texts;
  const labels = labelsOf(compiled, signal);
  if ('problem' in labels) return labels;
  const { enumValues } = compiled.rule.item;
  return {
    ...signal.attributes,
    ...texts,
    labels,
    ...(enumValues === null ? {} : { enumValues: new Map(enumValues) }),
  };
}

type TextFields = Partial<Record<'name' | 'description' | 'engUnit', string>>;

function textsOf(compiled: CompiledRule, signal: Signal): TextFields | { problem: string } {
  const texts: TextFields = {};
  for (const field of ['name', 'description', 'engUnit'] as const) {
    const template = compiled[field];
    if (template === null) continue;
    const text = renderOne(template, signal, compiled.maps);
    if (typeof text !== 'string') return { problem: `${field}: ${text.problem}` };
    texts[field] = text;
  }
  return texts;
}

/** A label whose template misses a value is left out. */
function labelsOf(
  { labels: templates, maps, rule }: CompiledRule,
  signal: Signal,
): Map<string, readonly string[]> | { problem: string } {
  const labels = new Map(rule.item.copyLabels ? signal.attributes.labels : []);
  for (const [key, template] of templates) {
    labels.delete(key);
    if (template === null) continue;
    const rendered = render(template, signal, maps);
    if ('problem' in rendered) return { problem: `label ${key}: ${rendered.problem}` };
    if (rendered.texts.length > 0) labels.set(key, rendered.texts);
  }
  return labels;
}
