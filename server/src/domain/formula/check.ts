/** Names, numbers and kinds of arguments, and how far outside the window a formula looks (F1, F4, F6). */
import type { Expression } from './expression.ts';
import type { FunctionEntry, Parameter } from './function-table.ts';
import { functionsByName, namedValuesByName } from './function-table.ts';
import type { Problem } from './problem.ts';
import type { Need, Reach } from './reach.ts';
import { needNothing, nested, widest } from './reach.ts';
import { nearestName } from './suggest.ts';

/** What a formula is of: an evaluate call, or a calculated item. */
export type FormulaHome = 'call' | 'item';

/** What the formulas of each can refer to, in words. */
const visibleNames: Readonly<Record<FormulaHome, string>> = {
  call: 'a calculation sees items, groups and earlier calculations',
  item: 'the formula of an item sees its inputs',
};

/** What one formula can refer to. */
export interface NameScope {
  /** The aliases of items and groups. */
  signals: ReadonlySet<string>;
  /** Earlier calculations by alias: what they themselves need around a bucket. */
  earlier: ReadonlyMap<string, Need>;
  /** This calculation and the later ones, which it cannot refer to. */
  hidden: ReadonlySet<string>;
  /** The narrowest bucket, µs; null with `window`, where there is no other bucket to look at. */
  bucketUsMin: number | null;
  offsetBucketsMax: number;
  of: FormulaHome;
}

/** What the check of a formula found. */
export interface Findings {
  problems: readonly Problem[];
  /** Aliases of items, groups and earlier calculations that occur, and where around a bucket their values are needed. */
  needs: ReadonlyMap<string, Need>;
  /** What everything in the formula needs around a bucket, earlier calculations included. */
  need: Need;
}

/** The most problems of one formula that are reported. */
const problemsMax = 10;

/** So many of them come with a suggestion: to find one, every known name is compared. */
const suggestionsMax = 3;

/** Checks a formula; its problems are reported, in order of position, ten at most. O(length). */
export function checkFormula(expression: Expression, scope: NameScope): Findings {
  const checker = new Checker(scope);
  checker.visit(expression, needNothing);
  const problems = checker.problems.sort((one, other) => one.at - other.at);
  return { problems, needs: checker.needs, need: checker.need };
}

/** The value of a number that is written out, a sign included; null for any other expression. */
export function literalNumber(expression: Expression): number | null {
  if (expression.kind === 'number') return expression.value;
  if (expression.kind !== 'unary' || expression.operand.kind !== 'number') return null;
  if (expression.operator === '-') return -expression.operand.value;
  return expression.operator === '+' ? expression.operand.value : null;
}

/** The arguments that a call must and can have. */
export function arityOf(entry: FunctionEntry): { min: number; max: number } {
  const min = entry.parameters.filter((parameter) => parameter.default === undefined).length;
  return { min, max: entry.variadic ? Number.POSITIVE_INFINITY : entry.parameters.length };
}

class Checker {
  readonly problems: Problem[] = [];
  readonly needs = new Map<string, Need>();
  need = needNothing;
  readonly #scope: NameScope;

  constructor(scope: NameScope) {
    this.#scope = scope;
  }

  /** `outer` is what the functions around the expression need of it. */
  visit(expression: Expression, outer: Need): void {
    switch (expression.kind) {
      case 'number':
        this.need = widest(this.need, outer);
        return;
      case 'name':
        this.#name(expression.at, expression.name, outer);
        return;
      case 'call':
        this.#call(expression, outer);
        return;
      case 'unary':
        this.visit(expression.operand, outer);
        return;
      case 'power':
        this.visit(expression.base, outer);
        this.visit(expression.exponent, outer);
        return;
      case 'choice':
        this.visit(expression.condition, outer);
        this.visit(expression.yes, outer);
        this.visit(expression.no, outer);
        return;
      case 'chain':
        this.visit(expression.first, outer);
        for (const { operand } of expression.rest) this.visit(operand, outer);
    }
  }

  /** `text` is only called for when it is reported. */
  #report(at: number, text: string | (() => string)): void {
    if (this.problems.length >= problemsMax) return;
    this.problems.push({ at, text: typeof text === 'string' ? text : text() });
  }

  #name(at: number, name: string, outer: Need): void {
    if (!this.#isKnown(name)) {
      this.#report(at, () => this.#unknownName(name));
      return;
    }
    const { signals, earlier } = this.#scope;
    if (signals.has(name) || earlier.has(name)) this.needs.set(name, widest(outer, this.needs.get(name)));
    const total = nested(outer, earlier.get(name) ?? needNothing);
    if (earlier.has(name) && !this.#outside(outer)) this.#limit(at, `"${name}" here`, total);
    this.need = widest(this.need, total);
  }

  #isKnown(name: string): boolean {
    const { signals, earlier } = this.#scope;
    return signals.has(name) || earlier.has(name) || namedValuesByName.has(name);
  }

  #call(call: Expression & { kind: 'call' }, outer: Need): void {
    const entry = functionsByName.get(call.name);
    if (entry === undefined) this.#report(call.at, () => this.#unknownFunction(call.name));
    else if (this.#arity(call, entry)) this.#arguments(call, entry, outer);
    else for (const argument of call.args) this.visit(argument, outer);
  }

  #arity({ at, args }: Expression & { kind: 'call' }, entry: FunctionEntry): boolean {
    const { min, max } = arityOf(entry);
    if (args.length >= min && args.length <= max) return true;
    const wanted =
      max === Number.POSITIVE_INFINITY ? `at least ${min}` : min === max ? `${min}` : `${min} or ${max}`;
    const noun = wanted.endsWith(' 1') || wanted === '1' ? 'argument' : 'arguments';
    this.#report(at, `${entry.name} takes ${wanted} ${noun}, got ${args.length}: ${printSignature(entry)}`);
    return false;
  }

  #arguments(call: Expression & { kind: 'call' }, entry: FunctionEntry, outer: Need): void {
    const { behaviour, parameters } = entry;
    const ownNeed = this.#ownNeed(call, entry);
    const inner = nested(outer, ownNeed);
    if (behaviour.as === 'series' && !this.#outside(outer)) this.#limit(call.at, call.name, inner);
    call.args.forEach((argument, index) => {
      const parameter = parameters[Math.min(index, parameters.length - 1)];
      if (parameter.kind === 'whole') this.#whole(argument, parameter, entry);
      else if (parameter.kind === 'signal') this.#signal(argument, parameter, entry, outer);
      else this.visit(argument, inner);
    });
  }

  /** What the function itself needs of its argument. With `window` there is no other bucket. */
  #ownNeed(call: Expression & { kind: 'call' }, { behaviour, parameters }: FunctionEntry): Need {
    if (behaviour.as !== 'series' || this.#scope.bucketUsMin === null) return needNothing;
    const n = literalArgument(call.args, parameters);
    const parameter = parameters.find(({ kind }) => kind === 'whole');
    if (parameter !== undefined && !isWithin(n, rangeOf(parameter, this.#scope.offsetBucketsMax)))
      return needNothing;
    const back = behaviour.operation.back(n);
    return { ...needNothing, back, ahead: behaviour.operation.ahead(n) };
  }

  #whole(argument: Expression, parameter: Parameter, entry: FunctionEntry): void {
    const range = rangeOf(parameter, this.#scope.offsetBucketsMax);
    const number = literalNumber(argument);
    if (number !== null && isWithin(number, range)) return;
    const got = number === null ? 'an expression' : String(number);
    this.#report(
      argument.at,
      `${parameter.name} of ${entry.name} must be a whole number from ${range.min} to ${range.max}, written out; got ${got}`,
    );
  }

  #signal(argument: Expression, parameter: Parameter, entry: FunctionEntry, outer: Need): void {
    if (argument.kind === 'name' && this.#scope.signals.has(argument.name)) {
      this.#name(argument.at, argument.name, { ...outer, filled: outer.back });
      return;
    }
    if (argument.kind !== 'name' || this.#isKnown(argument.name)) {
      this.#report(
        argument.at,
        `${parameter.name} of ${entry.name} must be the alias of an ${this.#scope.of === 'call' ? 'item or group' : 'input'}, as only those have a gapDetection`,
      );
    }
    this.visit(argument, outer);
  }

  /** Whether a need is already beyond the limit: then what made it so was reported. */
  #outside({ back, ahead }: Reach): boolean {
    return Math.max(back, ahead) > this.#scope.offsetBucketsMax;
  }

  #limit(at: number, what: string, need: Reach): void {
    const max = this.#scope.offsetBucketsMax;
    if (need.back > max)
      this.#report(at, `${what} looks ${need.back} buckets back, at most ${max} are allowed`);
    if (need.ahead > max)
      this.#report(at, `${what} looks ${need.ahead} buckets ahead, at most ${max} are allowed`);
  }

  #unknownName(name: string): string {
    const rule = `unknown name "${name}"; ${visibleNames[this.#scope.of]}`;
    const entry = functionsByName.get(name);
    if (entry !== undefined) return `${rule}; "${name}" is a function: ${printSignature(entry)}`;
    if (this.#scope.hidden.has(name)) return `${rule}, and "${name}" is not an earlier one`;
    const near = this.#nearest(name, [
      ...this.#scope.signals.keys(),
      ...this.#scope.earlier.keys(),
      ...namedValuesByName.keys(),
    ]);
    return near === null ? rule : `${rule}; did you mean "${near}"?`;
  }

  #nearest(name: string, known: Iterable<string>): string | null {
    return this.problems.length < suggestionsMax ? nearestName(name, known) : null;
  }

  #unknownFunction(name: string): string {
    const near = this.#nearest(name, functionsByName.keys());
    const hint = near === null ? 'see the list of functions' : `did you mean "${near}"?`;
    return `unknown function "${name}"; ${hint}`;
  }
}

/** How a function is called: `round(x[, digits = 0])`, `min(a, …)`. */
export function printSignature({ name, parameters, variadic }: FunctionEntry): string {
  const list = parameters.map((parameter, index) => {
    const text = index === 0 ? parameter.name : `, ${parameter.name}`;
    return parameter.default === undefined ? text : `[${text} = ${parameter.default}]`;
  });
  return `${name}(${list.join('')}${variadic ? ', …' : ''})`;
}

/** The literal argument of a series function, its default where it is left out, 0 where it has none. */
export function literalArgument(args: readonly Expression[], parameters: readonly Parameter[]): number {
  const index = parameters.findIndex((parameter) => parameter.kind === 'whole');
  if (index < 0) return 0;
  const number = index < args.length ? literalNumber(args[index]) : null;
  return number ?? parameters[index].default ?? 0;
}

function isWithin(number: number, { min, max }: { min: number; max: number }): boolean {
  return Number.isInteger(number) && number >= min && number <= max;
}

function rangeOf({ min, max }: Parameter, offsetBucketsMax: number): { min: number; max: number } {
  const low = min ?? 0;
  return { min: low, max: max === 'offset' ? Math.max(low, offsetBucketsMax) : (max ?? low) };
}
