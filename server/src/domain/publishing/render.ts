/** What a template gives for a signal (P3). */
import type { Signal } from '#model/signal';
import { type Placeholder, type Step, type Template, templateLimits } from './template-part.ts';

/** Value map → entries. */
export type ValueMaps = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** What rendering gave: its texts, none where a value is missing; or what is wrong. */
export type Rendered = { texts: readonly string[]; missing: string | null } | { problem: string };

/** The entry of a value map for all values that have none of their own. */
const otherValues = '*';

/**
 * Renders a template. Where one placeholder has several values, as a label may, there is a text for each of them; two such
 * placeholders are a problem.
 */
export function render(template: Template, signal: Signal, maps: ValueMaps): Rendered {
  let texts = [''];
  let several: string | null = null;
  for (const part of template) {
    const values = typeof part === 'string' ? [part] : valuesOf(part, signal, maps);
    if (values.length === 0) return { texts: [], missing: typeof part === 'string' ? '' : part.path };
    if (values.length > 1) {
      const path = typeof part === 'string' ? '' : part.path;
      if (several !== null) return { problem: `${several} and ${path} have several values each` };
      several = path;
    }
    texts =
      values.length > 1
        ? values.map((value) => `${texts[0]}${value}`)
        : texts.map((text) => `${text}${values[0]}`);
    const longest = texts.find((text) => text.length > templateLimits.resultMax);
    if (longest !== undefined)
      return { problem: `the text is longer than ${templateLimits.resultMax} characters` };
  }
  return { texts, missing: null };
}

/** Renders a template that has to give exactly one text. */
export function renderOne(template: Template, signal: Signal, maps: ValueMaps): string | { problem: string } {
  const rendered = render(template, signal, maps);
  if ('problem' in rendered) return rendered;
  const { texts, missing } = rendered;
  if (missing !== null) return { problem: `the signal has no ${missing}; give it, or write |default:"text"` };
  return texts.length === 1
    ? texts[0]
    : { problem: `a value has ${texts.length} texts, where one is needed` };
}

/** An empty text is no value. */
function valuesOf({ field, key, steps }: Placeholder, signal: Signal, maps: ValueMaps): readonly string[] {
  let values = rawValues(field, key, signal).filter((value) => value !== '');
  for (const step of steps) {
    if (step.step !== 'default')
      values = values.map((value) => changed(value, step, maps)).filter((value) => value !== '');
    else if (values.length === 0 && step.text !== '') values = [step.text];
  }
  return values.length < 2 ? values : [...new Set(values)];
}

function rawValues(field: Placeholder['field'], key: string, signal: Signal): readonly string[] {
  const { attributes, annotations } = signal;
  switch (field) {
    case 'labels':
      return attributes.labels.get(key) ?? [];
    case 'annotations':
      return [annotations.get(key) ?? ''];
    case 'input':
    case 'id':
    case 'integration':
      return [signal[field]];
    default:
      return [attributes[field]];
  }
}

function changed(value: string, step: Exclude<Step, { step: 'default' }>, maps: ValueMaps): string {
  if (step.step === 'part')
    return value.split(step.separator).at(step.index > 0 ? step.index - 1 : step.index) ?? '';
  if (step.step === 'map') {
    const map = maps.get(step.map);
    return map?.get(value) ?? map?.get(otherValues) ?? value;
  }
  if (step.step === 'trim') return value.trim();
  return step.step === 'lower' ? value.toLowerCase() : value.toUpperCase();
}
