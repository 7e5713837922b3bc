/** Defines methods of the console: for 1.2 and for people (A5a). `not-found` errors are reported at the parameter concerned. */
import Type, { type Static, type TObject, type TSchema } from 'typebox';
import { AppError, invalidParams } from '#model/error';
import { type Call, defineMethod, type Method, type MethodDefinition } from '#protocol/method';
import { closed } from '#protocol/schema';

/** A definition without the common parts. */
type ConsoleDefinition<P extends TObject, R extends TSchema> = Omit<
  MethodDefinition<P, R>,
  'versions' | 'grant'
>;

/** Defines a method of the console; `role` defaults to `admin`. */
export function defineConsole<P extends TObject, R extends TSchema>(
  definition: ConsoleDefinition<P, R>,
): Method {
  const idName = ['id', 'integration', 'scope'].find((name) => name in definition.params.properties) ?? '';
  return defineMethod<P, R>({
    ...definition,
    versions: ['1.2'],
    grant: 'console',
    async run(call, params: Static<P>, problems) {
      try {
        return await definition.run(call, params, problems);
      } catch (error) {
        const isMissing = error instanceof AppError && error.kind === 'not-found';
        throw isMissing ? invalidParams({ [idName]: [error.message] }) : error;
      }
    },
  });
}

/** Defines a method without parameters that viewers may call too. */
export function defineView<R extends TSchema>(
  definition: Omit<ConsoleDefinition<typeof noParams, R>, 'params' | 'role'>,
): Method {
  return defineConsole({ ...definition, role: 'viewer', params: noParams });
}

const noParams = Type.Object({});
const nothing = closed({});

/** A method that changes something, and has no result. */
export type ActDefinition<P extends TObject> = Omit<ConsoleDefinition<P, TObject>, 'run' | 'result'> & {
  act(call: Call, params: Static<P>): unknown;
};

/** Defines a method of the console that returns nothing. */
export function defineAct<P extends TObject>({ act, ...definition }: ActDefinition<P>): Method {
  return defineConsole<P, typeof nothing>({
    ...definition,
    result: nothing,
    async run(call, params) {
      await act(call, params);
      return {};
    },
  });
}
