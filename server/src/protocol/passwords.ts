/** Checks a user name and a password under the rates of wrong ones (A1, L4e), for every transport. */
import type { Caller, ClientOrigin } from '#model/caller';
import { AppError } from '#model/error';
import type { RateStatus } from '#model/rate-status';
import type { Authenticator } from './authenticator.ts';
import type { BasicCredentials } from './authorization.ts';
import type { LoginRates, RightSecret } from './login-rates.ts';

/** Dependencies of {@link checkPassword}. */
export interface PasswordOptions {
  authenticator: Authenticator;
  logins: LoginRates;
}

/** The outcome: a caller; or the rate that was exceeded, and the password was not looked at; or neither: it is wrong. */
export interface PasswordCheck {
  caller: Caller | null;
  rate: RateStatus | null;
  /** What {@link recheckPassword} needs; null where there is no caller. */
  right: RightSecret | null;
}

/** A name and a password that were right. */
export interface ProvenPassword {
  caller: Caller;
  right: RightSecret;
}

/**
 * The caller with this name and password. After too many wrong passwords, only passwords that were correct before are checked
 * (L4e). Fails as the authenticator does; synchronous if that is, since most callers are found in memory.
 */
export function checkPassword(
  { authenticator, logins }: PasswordOptions,
  { user, password }: BasicCredentials,
  from: ClientOrigin,
): PasswordCheck | Promise<PasswordCheck> {
  const attempt = { name: user, secret: password, address: from.address, isTokenRequest: false };
  const rate = logins.refusal(attempt);
  if (rate !== null) return { caller: null, rate, right: null };
  const check = (caller: Caller | null): PasswordCheck => {
    if (caller !== null) return { caller, rate: null, right: logins.noteRight(attempt) };
    logins.noteWrong(attempt);
    return { caller, rate: null, right: null };
  };
  const caller = authenticator.authenticateBasic(user, password, from);
  if (!(caller instanceof Promise)) return check(caller);
  return caller.then(check, (error: unknown) => {
    // While the store cannot be asked about it, an unknown password counts as a wrong one.
    if (error instanceof AppError && error.kind === 'unavailable') logins.noteWrong(attempt);
    throw error;
  });
}

/**
 * The caller, as it is now, of a name and a password that were right before at the same address; null: they have to be checked. A
 * secret belongs to its credential for as long as that exists, so it is not hashed again.
 */
export function recheckPassword(
  { authenticator, logins }: PasswordOptions,
  { caller, right }: ProvenPassword,
  from: ClientOrigin,
): Caller | null {
  const now = authenticator.recheck(caller, from);
  if (now !== null) logins.noteRightAgain(right);
  return now;
}
