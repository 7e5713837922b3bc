/** The language of templates (P3): what it reads, what it refuses, and what it gives for a signal. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { render, renderOne } from '#domain/publishing/render';
import { parseTemplate } from '#domain/publishing/template';
import { templateLimits } from '#domain/publishing/template-part';
import type { Signal } from '#model/signal';
import { attributes, signal } from '../../../support/resources.ts';

const maps = new Map([['words', new Map([...Object.entries({ n: 'north', '*': 'elsewhere' })])]]);
const names = new Set(maps.keys());

const example: Signal = {
  ...signal('cbpmaq6rpn52969vfl00', 'Plant/Line 2/temp', {
    attributes: attributes({
      name: 'Temperature',
      engUnit: '°C',
      labels: new Map([
        ['site', ['n', 's']],
        ['line', ['  Two ']],
        ['empty', ['']],
      ]),
    }),
    annotations: new Map([['tag', 'T-7']]),
  }),
  number: 1,
};

function texts(text: string): readonly string[] | string {
  const template = parseTemplate(text, names);
  if (typeof template === 'string') return template;
  const rendered = render(template, example, maps);
  return 'problem' in rendered ? rendered.problem : rendered.texts;
}

test('P3 a template inserts values of the signal and changes them step by step', () => {
  for (const [text, expected] of [
    ['', ['']],
    ['plain', ['plain']],
    ['{{{name}}}', ['{Temperature}']],
    ['{name|upper} in {engUnit}', ['TEMPERATURE in °C']],
    ['{labels.line|trim|lower}', ['two']],
    ['{annotations.tag}/{input|part:"/":-1}', ['T-7/temp']],
    ['{input|part:"/":2}', ['Line 2']],
    ['{input|part:"/":9}', []],
    ['{input|part:"/":9|default:"none"}', ['none']],
    ['{labels.empty}', []],
    ['{labels.absent|default:"a \\"b\\" \\\\"}', ['a "b" \\']],
    ['{labels.site|map:words}', ['north', 'elsewhere']],
    ['{name}-{labels.site}-{input|part:"/":3}', ['Temperature-n-temp', 'Temperature-s-temp']],
    ['{labels.site}{labels.site}', 'labels.site and labels.site have several values each'],
  ] as const)
    assert.deepEqual(texts(text), expected, text);
});

test('P3 what is no template is refused with the place and what is known', () => {
  for (const [text, message] of [
    ['a}', /a "}" at character 2 ends no placeholder/],
    ['{', /unknown value "" at character 2/],
    ['{nane}', /unknown value "nane" at character 2; known are name, input/],
    ['{labels}', /unknown value "labels"/],
    ['{labels.a.b}', /unknown value "labels.a.b"/],
    ['{name', /expected "\|" or "}" at character 6, got the end of the text/],
    ['{name|shout}', /unknown step "shout" at character 7/],
    ['{name|default}', /expected default:"text"/],
    ['{name|default:"x}', /expected default:"text"/],
    ['{name|map:other}', /the rule has no value map "other"/],
    ['{name|part:"":1}', /expected part/],
    ['{name|part:"/":0}', /expected part/],
    [`{name${'|lower'.repeat(9)}}`, /at most 8 steps/],
    ['{name}'.repeat(21), /at most 20 placeholders, got 21/],
    ['x'.repeat(1001), /at most 1000 characters, got 1001/],
  ] as const)
    assert.match(String(texts(text)), message);
});

test('P3 one text is needed for a name: a missing value and several values say so', () => {
  const one = (text: string) => {
    const template = parseTemplate(text, names);
    assert.ok(typeof template !== 'string', String(template));
    return renderOne(template, example, maps);
  };
  assert.deepEqual(one('{labels.absent}'), {
    problem: 'the signal has no labels.absent; give it, or write |default:"text"',
  });
  assert.deepEqual(one('{labels.site}'), { problem: 'a value has 2 texts, where one is needed' });
  const long = { ...example, annotations: new Map([['tag', 'x'.repeat(templateLimits.resultMax)]]) };
  const template = parseTemplate('{annotations.tag}{annotations.tag}', names);
  assert.ok(typeof template !== 'string');
  assert.deepEqual(renderOne(template, long, maps), { problem: 'the text is longer than 4096 characters' });
});

test('P3 any text is read or refused, and literal text comes out as it went in', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'{}|:"\\.na labels/1-') }), (text) => {
      const template = parseTemplate(text, names);
      if (typeof template !== 'string') render(template, example, maps);
    }),
  );
  fc.assert(
    fc.property(fc.string({ maxLength: 400 }), (text) => {
      const escaped = text.replaceAll('{', '{{').replaceAll('}', '}}');
      assert.deepEqual(texts(escaped), [text]);
    }),
  );
});
