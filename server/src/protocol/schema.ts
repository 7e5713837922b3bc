/** Compiles TypeBox schemas of parameters, and explains violations. */
import Type, {
  type Static,
  type TNull,
  type TObject,
  type TProperties,
  type TSchema,
  type TUnion,
  type TUnsafe,
} from 'typebox';
import { Compile } from 'typebox/schema';
import type { ProblemList } from '#model/problem-list';
import { resultOf, type Steps } from '#model/steps';
import { compileDefaults } from './defaults.ts';
import { explain, type JsonSchema } from './explain.ts';
import { mend } from './mend.ts';

/** The keyword of a schema that appears in documents but is not validated. */
export const describedKeyword = 'x-described';

/**
 * A schema for documents only: at run time any value is accepted. For the arrays of a data frame, which may have millions of
 * numbers and are validated by domain/ingest.
 */
export function describedOnly<S extends TSchema>(schema: S): TUnsafe<unknown> {
  return Type.Unsafe<unknown>({ [describedKeyword]: schema });
}

/** For objects that must have no other members than those of their schema. */
export const strict = { additionalProperties: false } as const;

/** An object with these members and no others. */
export function closed<P extends TProperties>(members: P): TObject<P> {
  return Type.Object(members, strict);
}

/** The same under a name of its own in the documents of the API. */
export function titled<P extends TProperties>(title: string, members: P): TObject<P> {
  return Type.Object(members, { ...strict, title });
}

/** Null, or a value of a schema. */
export function nullable<S extends TSchema>(
  schema: S,
  options: { description?: string } = {},
): TUnion<[S, TNull]> {
  return Type.Union([schema, Type.Null()], options);
}

/** A compiled schema. */
export interface Reader<T> {
  /** Fills in defaults in place. Returns whether `value` matches then. */
  matches(value: Record<string, unknown>): value is Record<string, unknown> & T;
  /** Explains why a value does not match, and takes what is wrong out of it (mend.ts), unless there are too many problems. */
  mend(value: Record<string, unknown>): Steps<ProblemList>;
  /** Fills in defaults in place, and validates `value`. Fails with `invalid-params`, with a path for each problem. */
  read(value: Record<string, unknown>): T;
}

const readers = new WeakMap<TObject, Reader<unknown>>();

/**
 * Reads by the schema of a method's parameters, which is compiled when it is first used: a start that compiled the schemas of all
 * methods would spend a tenth of its processor time on them.
 */
export function compileReader<P extends TObject>(schema: P): Reader<Static<P>> {
  const known = readers.get(schema) as Reader<Static<P>> | undefined;
  if (known !== undefined) return known;
  const reader = newReader(schema);
  readers.set(schema, reader);
  return reader;
}

function newReader<P extends TObject>(schema: P): Reader<Static<P>> {
  const plain = schema as unknown as JsonSchema;
  const compile = () => ({ validator: Compile(schema), fill: compileDefaults(plain) });
  let compiled: ReturnType<typeof compile> | null = null;
  const reader: Reader<Static<P>> = {
    matches(value): value is Record<string, unknown> & Static<P> {
      compiled ??= compile();
      compiled.fill?.(value);
      return compiled.validator.Check(value);
    },
    *mend(value) {
      const { problems, places } = yield* explain(plain, value);
      if (problems.isEmpty) problems.add([], 'is not valid');
      if (!problems.isFull) mend(plain, value, places);
      return problems;
    },
    read(value) {
      if (reader.matches(value)) return value;
      throw resultOf(reader.mend(value)).toError();
    },
  };
  return reader;
}
