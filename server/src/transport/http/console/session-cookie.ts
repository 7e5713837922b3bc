/** The cookie that holds a session's token: out of reach for scripts, and for pages of other sites. */

/** How the cookie of one service is written. */
export interface CookieForm {
  /** Has the port in it: cookies do not tell two services on one host apart. */
  name: string;
  /** `/`, or the path prefix with a slash at its end. */
  path: string;
  /** Whether it goes over TLS only. */
  isSecure: boolean;
}

/** The form of the cookie of a service that browsers reach under this address. */
export function cookieForm(baseUrl: string): CookieForm {
  const { protocol, port, pathname } = new URL(baseUrl);
  const isSecure = protocol === 'https:';
  return {
    name: `tidemark_session_${port === '' ? (isSecure ? 443 : 80) : port}`,
    path: pathname.endsWith('/') ? pathname : `${pathname}/`,
    isSecure,
  };
}

/** The header Set-Cookie that gives a browser its token. */
export function printCookie(form: CookieForm, token: string, maxAgeS: number): string {
  const attributes = [`Path=${form.path}`, `Max-Age=${maxAgeS}`, 'HttpOnly', 'SameSite=Strict'];
  return [`${form.name}=${token}`, ...attributes, ...(form.isSecure ? ['Secure'] : [])].join('; ');
}

/** The header Set-Cookie that takes it away again. */
export function printNoCookie(form: CookieForm): string {
  return printCookie(form, '', 0);
}

/** Longer ones are no token of ours. */
const tokenPattern = /^[\w-]{43}$/;

/** The token in the header Cookie; null when there is none. Of several the first, which has the longest path. */
export function readCookie(form: CookieForm, header: string | undefined): string | null {
  for (const pair of header?.split(';') ?? []) {
    const [name, value = ''] = pair.trim().split('=', 2);
    if (name === form.name && tokenPattern.test(value)) return value;
  }
  return null;
}
