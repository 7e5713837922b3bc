/** Rules for names and passwords of people. Length makes a password hard to guess; there are no rules about kinds of characters. */
import { invalidParams, type ParamProblems } from '#model/error';
import { characterCount } from '#model/text';

/** Maximum number of characters of a name. */
const nameMax = 64;

/** Minimum and maximum number of characters of a password. */
const passwordCharacters = { min: 12, max: 256 } as const;

/** Minimum number of different characters of a password, which excludes `aaaaaaaaaaaa`. */
const differentMin = 5;

/** The form in which names are compared, ignoring case and character width. */
export function nameKey(name: string): string {
  return name.normalize('NFKC').toLowerCase();
}

/** Checks the name and password of a new person. `invalid-params` at their paths. */
export function checkPerson(name: string, password: string, passwordPath = 'password'): void {
  const problems: ParamProblems = {};
  const nameProblem = problemOfName(name);
  if (nameProblem !== null) problems.name = [nameProblem];
  const passwordProblem = problemOfPassword(name, password);
  if (passwordProblem !== null) problems[passwordPath] = [passwordProblem];
  if (Object.keys(problems).length > 0) throw invalidParams(problems);
}

/** Does not quote the name, which may be a password typed into the wrong field. */
function problemOfName(name: string): string | null {
  const length = characterCount(name);
  if (length < 1 || length > nameMax) return `must be 1 to ${nameMax} characters, got ${length}`;
  if (name !== name.trim()) return 'must not begin or end with a space';
  return name.isWellFormed() && !/\p{C}/u.test(name) ? null : 'must be printable text';
}

function problemOfPassword(name: string, password: string): string | null {
  const { min, max } = passwordCharacters;
  if (!password.isWellFormed()) return 'must be Unicode text';
  const length = characterCount(password);
  if (length < min || length > max) return `must be ${min} to ${max} characters, got ${length}`;
  if (new Set(password).size < differentMin) return `must have ${differentMin} different characters`;
  const rest = nameKey(password).replaceAll(nameKey(name), '');
  return characterCount(rest) < min / 2 ? 'must be more than the name' : null;
}
