/** Defines methods of the console: for 1.2 and for people (A5a). `not-found` errors are reported at the parameter concerned. */
import type { Static, TObject, TSchema } from 'typebox';
import { AppError, invalidParams } from '#model/error';
import { defineMethod, type Method, type MethodDefinition } from '#protocol/method';

/** A definition without the common parts. */
export type ConsoleDefinition<P extends TObject, R extends TSchema> = Omit<
  MethodDefinition<P, R>,
  'versions' | 'grant'
>;

/** Defines a method of the console; `role` defaults to `admin`. */
export function defineConsole<P extends TObject, R extends TSchema>(
  definition: ConsoleDefinition<P, R>,
): Method {
  const idName = ['id', 'integration'].find((name) => name in definition.params.properties) ?? '';
  return defineMethod<P, R>({
    ...definition,
    versions: ['1.2'],
    grant: 'console',
    async run(call, params: Static<P>) {
      try {
        return await definition.run(call, params);
      } catch (error) {
        throw namingParam(error, idName);
      }
    },
  });
}

/** Converts an error to one that names the parameter (E2). */
function namingParam(error: unknown, idName: string): unknown {
  const isMissing = error instanceof AppError && error.kind === 'not-found';
  return isMissing ? invalidParams({ [idName]: [error.message] }) : error;
}
