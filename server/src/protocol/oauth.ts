/** The token endpoint (A2): RFC 6749 §4.4, the client-credentials grant, without its HTTP. */
import { type ClientOrigin, grantsAll } from '#model/caller';
import type { RateStatus } from '#model/rate-status';
import type { TokenAnswer, TokenRefusal, TokenRequest } from '#model/token-request';
import type { TokenIssuer } from './authenticator.ts';
import { parseBasic } from './authorization.ts';
import type { LoginAttempt, LoginRates } from './login-rates.ts';
import type { TokenRates } from './token-rates.ts';

/** A token request. */
export interface TokenCall {
  /** The form body; null when the body is not a form. */
  form: string | null;
  /** The header Authorization. */
  authorization: string | undefined;
  /** Where the request comes from. */
  from: ClientOrigin;
}

/** The answer that the transport has to send. */
export interface TokenReply {
  status: 200 | 400 | 401 | 429;
  /** Exactly the members of RFC 6749 §5.1 or §5.2. */
  body: Record<string, string | number>;
  /** The rate status of the client's tokens, or of wrong secrets if that limit is exceeded. */
  rate?: RateStatus;
}

/** The error codes of token requests. */
type ErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_target'
  | 'invalid_scope'
  | 'unsupported_grant_type'
  | 'temporarily_unavailable';

/** Answers requests for tokens. */
export class TokenEndpoint {
  readonly #issuer: TokenIssuer;
  readonly #rates: TokenRates;
  readonly #logins: LoginRates;

  /** `logins` is shared with Basic authentication, so that guesses count together. */
  constructor(issuer: TokenIssuer, rates: TokenRates, logins: LoginRates) {
    this.#issuer = issuer;
    this.#rates = rates;
    this.#logins = logins;
  }

  /**
   * Answers one request. Wrong secrets are counted by client and by address, whether the client exists or not; above the
   * limit a secret is not checked, unless it was right before (A2, A2a). Tokens are counted by client.
   */
  async answer(call: TokenCall): Promise<TokenReply> {
    const request = readTokenRequest(call);
    if ('status' in request) return request;
    const { clientId: name, clientSecret: secret } = request;
    const attempt = { name, secret, address: call.from.address, isTokenRequest: true };
    const refusal = this.#logins.refusal(attempt);
    if (refusal !== null) return tooMany('wrong secrets', refusal);
    const answer = await this.#issuer.issueToken(request, call.from);
    if (!answer.ok) return this.#refuse(answer, attempt);
    this.#logins.noteRight(attempt);
    const { rate, isOver } = this.#rates.take(name);
    return isOver
      ? tooMany('token requests; keep a token until it expires', rate)
      : { ...success(answer), rate };
  }

  #refuse({ error, description }: TokenRefusal, attempt: LoginAttempt): TokenReply {
    if (error === 'invalid_client') this.#logins.noteWrong(attempt);
    return failure(error, description);
  }
}

function success(answer: Extract<TokenAnswer, { ok: true }>): TokenReply {
  return {
    status: 200,
    body: {
      access_token: answer.accessToken,
      scope: answer.scopes.join(','),
      expires_in: answer.expiresInS,
      token_type: 'Bearer',
    },
  };
}

function failure(error: ErrorCode, description: string): TokenReply {
  const status = error === 'invalid_client' ? 401 : error === 'temporarily_unavailable' ? 429 : 400;
  return { status, body: { error, error_description: description } };
}

function tooMany(what: string, rate: RateStatus): TokenReply {
  const words = `Too many ${what}. Try again in ${rate.resetS} s`;
  return { ...failure('temporarily_unavailable', words), rate };
}

/** Reads the request; for an invalid one returns the answer. */
function readTokenRequest(call: TokenCall): TokenRequest | TokenReply {
  if (call.form === null)
    return failure('invalid_request', 'The body must be application/x-www-form-urlencoded');
  const form = new URLSearchParams(call.form);
  const repeated = findRepeated([...form.keys()]);
  if (repeated !== undefined)
    return failure('invalid_request', `Parameter ${printable(repeated)} is given twice`);
  const grantType = form.get('grant_type');
  if (!grantType) return failure('invalid_request', 'Parameter grant_type is required');
  if (grantType !== 'client_credentials')
    return failure('unsupported_grant_type', 'grant_type must be client_credentials');
  const client = readClient(form, call.authorization);
  return 'status' in client ? client : { ...client, ...readTarget(form) };
}

/** RFC 8707 §2: only `resource` may come more than once. */
function findRepeated(names: readonly string[]): string | undefined {
  const seen = new Set<string>();
  return names.find((name) => name !== 'resource' && seen.size === seen.add(name).size);
}

/** The requested audience; an empty parameter counts as absent. */
function readTarget(form: URLSearchParams): Pick<TokenRequest, 'audiences' | 'scopes'> {
  const audiences = [...form.getAll('audience'), ...form.getAll('resource')];
  const scopes = (form.get('scope') ?? '').split(/[ ,]+/);
  const isGiven = (text: string) => text !== '';
  return { audiences: audiences.filter(isGiven), scopes: scopes.filter(isGiven) };
}

type Client = Pick<TokenRequest, 'clientId' | 'clientSecret'>;

function readClient(form: URLSearchParams, authorization: string | undefined): Client | TokenReply {
  const id = form.get('client_id') || undefined;
  const secret = form.get('client_secret') || undefined;
  if (authorization === undefined) {
    if (id === undefined) return failure('invalid_request', 'Parameter client_id is required');
    if (secret === undefined) return failure('invalid_request', 'Parameter client_secret is required');
    return { clientId: id, clientSecret: secret };
  }
  const basic = parseBasic(authorization);
  if (basic === null) return failure('invalid_client', 'The header Authorization must be Basic');
  const clientId = formDecode(basic.user);
  if (secret !== undefined || (id !== undefined && id !== clientId))
    return failure('invalid_request', 'Send the client secret in the body or in the header, not in both');
  return { clientId, clientSecret: formDecode(basic.password) };
}

/** RFC 6749 §2.3.1: ID and secret are form-encoded within the header; clients that leave this out are understood too. */
function formDecode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

/** RFC 6749 §5.2 allows only printable ASCII, without quote and backslash, in a description. */
function printable(text: string): string {
  return text.slice(0, 64).replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, '?');
}

/** RFC 8414 metadata of the service at a base address, by which clients discover the token endpoint; the address is the issuer of the tokens. */
export function authorizationMetadata(baseUrl: string): Record<string, unknown> {
  const issuer = baseUrl.replace(/\/+$/, '');
  return {
    issuer,
    token_endpoint: `${issuer}/v1/oauth/token`,
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    grant_types_supported: ['client_credentials'],
    // Required by RFC 8414; there is no authorization endpoint, so no response type.
    response_types_supported: [],
    scopes_supported: grantsAll.map((grant) => `invoke:${grant}`),
  };
}
