/** RFC 8414 authorization server metadata, by which clients discover the token endpoint (A2). */
import { grantsAll } from '#model/caller';

/** The metadata of the service at a base address, which is the issuer of its tokens. */
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
