/** The header Authorization → who calls (A1, A3). */
import type { Caller } from '#model/caller';
import type { Authenticator } from '#protocol/authenticator';
import { parseBasic, parseBearer } from '#protocol/authorization';
import { HttpProblem } from './problem.ts';

const basicChallenge = 'Basic realm="tidemark", charset="UTF-8"';
const bearerChallenge = 'Bearer realm="tidemark"';

/** The caller whom a header stands for. 401 with both challenges where there is none (RFC 6750 §3). */
export function authenticate(
  authenticator: Authenticator,
  header: string | undefined,
): Caller | Promise<Caller> {
  if (header === undefined) throw unauthenticated('This needs credentials: Basic, or a Bearer token', '');
  const token = parseBearer(header);
  if (token !== null)
    return required(
      authenticator.authenticateBearer(token),
      'The token is not valid, or no longer',
      invalidToken,
    );
  const basic = parseBasic(header);
  if (basic === null) throw unauthenticated('The header Authorization must be Basic or Bearer', '');
  return required(
    authenticator.authenticateBasic(basic.user, basic.password),
    'The credentials are wrong',
    '',
  );
}

const invalidToken = ', error="invalid_token"';

/** Answers at once where the authenticator does: most calls know their caller from memory. */
function required(
  caller: Caller | null | Promise<Caller | null>,
  words: string,
  error: string,
): Caller | Promise<Caller> {
  if (caller instanceof Promise) return caller.then((caller) => required(caller, words, error));
  if (caller === null) throw unauthenticated(words, error);
  return caller;
}

function unauthenticated(words: string, error: string): HttpProblem {
  return new HttpProblem(401, words, { 'www-authenticate': [basicChallenge, `${bearerChallenge}${error}`] });
}
