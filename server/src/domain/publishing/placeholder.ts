/** Reads one placeholder of a template: a path and the steps after it (P3). */
import { quote } from '#model/problem-list';
import { type Placeholder, type PlainField, plainFields, type Step } from './template-part.ts';

const pathForm = /[A-Za-z0-9\-_/.]+/y;
const nameForm = /[A-Za-z0-9\-_]+/y;
const numberForm = /-?[1-9][0-9]{0,3}/y;

/** Steps of one placeholder. */
const stepsMax = 8;

const known = `${plainFields.join(', ')}, labels.<key>, annotations.<key>`;

/** Reads from one position of a text on; {@link at} is where it has come to. */
export class PlaceholderReader {
  readonly #text: string;
  readonly #maps: ReadonlySet<string>;
  at: number;

  /** `at` is the position after the opening brace; `maps` are the value maps of the rule. */
  constructor(text: string, at: number, maps: ReadonlySet<string>) {
    this.#text = text;
    this.at = at;
    this.#maps = maps;
  }

  /** The placeholder; {@link at} is then behind its closing brace. A text is what is wrong. */
  read(): Placeholder | string {
    const start = this.at;
    const path = this.#take(pathForm) ?? '';
    const field = fieldOf(path);
    if (field === null) return `unknown value ${quote(path)} at character ${start + 1}; known are ${known}`;
    const steps: Step[] = [];
    while (this.#skip('|')) {
      const step = this.#step();
      if (typeof step === 'string') return step;
      if (steps.push(step) > stepsMax) return `${quote(path)} must have at most ${stepsMax} steps`;
    }
    if (!this.#skip('}')) return this.#expected('"|" or "}"');
    return { path, ...field, steps };
  }

  #step(): Step | string {
    const start = this.at;
    const name = this.#take(nameForm) ?? '';
    switch (name) {
      case 'lower':
      case 'upper':
      case 'trim':
        return { step: name };
      case 'default': {
        const text = this.#argument();
        return text === null ? this.#expected('default:"text"') : { step: 'default', text };
      }
      case 'map':
        return this.#map();
      case 'part':
        return this.#part();
      default:
        return `unknown step ${quote(name)} at character ${start + 1}; known are lower, upper, trim, default:"text", map:name, part:"separator":number`;
    }
  }

  #map(): Step | string {
    const map = this.#skip(':') ? this.#take(nameForm) : null;
    if (map === null) return this.#expected('map:name');
    return this.#maps.has(map) ? { step: 'map', map } : `the rule has no value map ${quote(map)}`;
  }

  #part(): Step | string {
    const separator = this.#argument();
    const index = separator !== null && this.#skip(':') ? this.#take(numberForm) : null;
    if (!separator || index === null)
      return this.#expected('part:"separator":number, for example part:"/":2');
    return { step: 'part', separator, index: Number(index) };
  }

  /** A colon and a text in quotation marks, in which a backslash stands before a quotation mark or backslash. */
  #argument(): string | null {
    if (!this.#skip(':') || !this.#skip('"')) return null;
    let text = '';
    for (; this.at < this.#text.length; this.at++) {
      if (this.#skip('"')) return text;
      if (this.#text[this.at] === '\\') this.at++;
      text += this.#text[this.at] ?? '';
    }
    return null;
  }

  #take(form: RegExp): string | null {
    form.lastIndex = this.at;
    const found = form.exec(this.#text)?.[0] ?? null;
    this.at += found?.length ?? 0;
    return found;
  }

  #skip(character: string): boolean {
    if (this.#text[this.at] !== character) return false;
    this.at++;
    return true;
  }

  #expected(what: string): string {
    const got = this.at < this.#text.length ? quote(this.#text[this.at]) : 'the end of the text';
    return `expected ${what} at character ${this.at + 1}, got ${got}`;
  }
}

function fieldOf(path: string): Pick<Placeholder, 'field' | 'key'> | null {
  const plain = plainFields.find((field): field is PlainField => field === path);
  if (plain !== undefined) return { field: plain, key: '' };
  const dot = path.indexOf('.');
  const map = path.slice(0, dot);
  const key = path.slice(dot + 1);
  return (map === 'labels' || map === 'annotations') && key !== '' && !key.includes('.')
    ? { field: map, key }
    : null;
}
