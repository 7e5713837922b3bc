/** How a method of the console is defined: in 1.2, for people (A5a); what is not there is told at the parameter that names it. */
import type { Static, TObject, TSchema } from 'typebox';
import { AppError, invalidParams } from '#model/error';
import { defineMethod, type Method, type MethodDefinition } from '#protocol/method';

/** A definition without what all of the console's have in common. */
export type ConsoleDefinition<P extends TObject, R extends TSchema> = Omit<
  MethodDefinition<P, R>,
  'versions' | 'grant'
>;

/** Defines a method of the console; `role` is `admin` where nothing else is said. */
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

/** E2: a parameter is at fault, and the answer says which. */
function namingParam(error: unknown, idName: string): unknown {
  const isMissing = error instanceof AppError && error.kind === 'not-found';
  return isMissing ? invalidParams({ [idName]: [error.message] }) : error;
}
