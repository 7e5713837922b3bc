/** Where clients look for the metadata of the token endpoint (A2). */
import { authorizationMetadata } from '#protocol/oauth-metadata';
import type { HttpRoute } from './route.ts';

const oauthPath = '/.well-known/oauth-authorization-server';
const openIdPath = '/.well-known/openid-configuration';

/**
 * The routes of the metadata for a service at `baseUrl`. For an issuer with a path, RFC 8414 §3.1 puts the well-known part
 * before it, and OpenID Connect Discovery after it.
 */
export function metadataRoutes(baseUrl: string): HttpRoute[] {
  const text = JSON.stringify(authorizationMetadata(baseUrl));
  const headers = { 'cache-control': 'no-cache', 'access-control-allow-origin': '*' };
  const issuerPath = new URL(baseUrl).pathname.replace(/\/+$/, '');
  const paths = new Set([oauthPath, openIdPath, oauthPath + issuerPath]);
  return [...paths].map((path) => ({
    method: 'GET',
    path,
    needsService: false,
    serve: (exchange) => exchange.sendText(200, 'application/json', text, headers),
  }));
}
