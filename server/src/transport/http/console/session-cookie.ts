/** The cookie with a session's token, inaccessible to scripts and not sent by pages of other sites. */

/** The attributes of a service's cookie. */
export interface CookieForm {
  /** Contains the port, since cookies are shared by all ports of a host. */
  name: string;
  /** `/`, or the path prefix with a slash at its end. */
  path: string;
  /** Whether it is sent over TLS only. */
  isSecure: boolean;
}

/** The attributes of the cookie for a service at this address. */
export function cookieForm(baseUrl: string): CookieForm {
  const { protocol, port, pathname } = new URL(baseUrl);
  const isSecure = protocol === 'https:';
  return {
    name: `tidemark_session_${port === '' ? (isSecure ? 443 : 80) : port}`,
    path: pathname.endsWith('/') ? pathname : `${pathname}/`,
    isSecure,
  };
}

/** The header Set-Cookie that sets the token. */
export function printCookie(form: CookieForm, token: string, maxAgeS: number): string {
  const attributes = [`Path=${form.path}`, `Max-Age=${maxAgeS}`, 'HttpOnly', 'SameSite=Strict'];
  return [`${form.name}=${token}`, ...attributes, ...(form.isSecure ? ['Secure'] : [])].join('; ');
}

/** The header Set-Cookie that removes the token. */
export function printNoCookie(form: CookieForm): string {
  return printCookie(form, '', 0);
}

/** Longer values cannot be tokens. */
const tokenPattern = /^[\w-]{43}$/;

/** The token in the header Cookie; null when there is none. If there are several, the first one, which has the longest path. */
export function readCookie(form: CookieForm, header: string | undefined): string | null {
  for (const pair of header?.split(';') ?? []) {
    const [name, value = ''] = pair.trim().split('=', 2);
    if (name === form.name && tokenPattern.test(value)) return value;
  }
  return null;
}
