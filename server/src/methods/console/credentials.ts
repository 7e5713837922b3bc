/** console.credentials.*: credentials of integrations (A4). A secret is returned only once, in its credentials file. */
import Type from 'typebox';
import { credentialsFile } from '#domain/identity/credentials-file';
import type { NewCredential } from '#domain/identity/identity';
import { invalidParams } from '#model/error';
import { instantProblem, parseInstant } from '#model/instant';
import type { Method } from '#protocol/method';
import { closed, nullable, titled } from '#protocol/schema';
import { actOf } from '../act.ts';
import { parseFixedDuration } from '../interval.ts';
import type { MethodServices } from '../services.ts';
import { dateOrNull, dateSchema, idParam, viewAs } from './console-schemas.ts';
import { defineAct, defineConsole } from './define-console.ts';

const typeSchema = Type.Enum(['client-credentials', 'basic-auth']);
const labelSchema = Type.String({ default: '', description: 'Purpose, at most 128 characters.' });
const expiresAtSchema = Type.Optional(
  Type.String({ description: 'RFC 3339: when it expires; default never.' }),
);

const credentialSchema = titled('Credential', {
  id: idParam('credential'),
  integration: idParam('integration'),
  type: typeSchema,
  label: Type.String(),
  createdAt: dateSchema,
  lastUsedAt: dateOrNull('never used'),
  lastUsedFrom: nullable(closed({ address: Type.String(), userAgent: Type.String() }), {
    description: 'Client of the last use; null: unknown.',
  }),
  expiresAt: dateOrNull('never'),
});

const fileSchema = titled('CredentialsFile', {
  apiUrl: Type.String({ description: 'Ends in /v1/.' }),
  integration: Type.String(),
  credentials: closed({ type: typeSchema, clientId: Type.String(), clientSecret: Type.String() }),
});

const newCredentialSchema = closed({ credential: credentialSchema, file: fileSchema });

type Services = Pick<MethodServices, 'identity' | 'apiUrl'>;

/** The definitions. */
export function consoleCredentials({ identity, apiUrl }: Services): Method[] {
  const viewNew = ({ credential, secret }: NewCredential) => ({
    credential: viewAs(credentialSchema, credential),
    file: credentialsFile(apiUrl, credential, secret),
  });
  return [
    defineConsole({
      role: 'viewer',
      name: 'console.credentials.list',
      summary: 'Lists the credentials of an integration, oldest first, without their secrets.',
      params: Type.Object({ integration: idParam('integration') }),
      result: closed({ credentials: Type.Array(credentialSchema) }),
      async run(_call, { integration }) {
        const credentials = await identity.listCredentials(integration);
        return { credentials: credentials.map((credential) => viewAs(credentialSchema, credential)) };
      },
    }),
    defineConsole({
      name: 'console.credentials.create',
      summary: 'Creates a credential, and returns its file; the secret cannot be shown again.',
      params: Type.Object({
        integration: idParam('integration'),
        type: typeSchema,
        label: labelSchema,
        expiresAt: expiresAtSchema,
      }),
      result: newCredentialSchema,
      async run(call, { integration, type, label, expiresAt }) {
        const expiresAtMs = parseExpiry(expiresAt);
        return viewNew(await identity.createCredential(actOf(call), integration, type, label, expiresAtMs));
      },
    }),
    defineConsole({
      name: 'console.credentials.rotate',
      summary:
        'Replaces a credential by a new one of the same type and label; the old one remains valid for a limited time.',
      params: Type.Object({
        id: idParam('credential'),
        overlap: Type.String({
          default: 'PT24H',
          description: 'How long the old one remains valid, such as PT24H.',
        }),
        expiresAt: expiresAtSchema,
      }),
      result: newCredentialSchema,
      async run(call, { id, overlap, expiresAt }) {
        const overlapMs = parseOverlap(overlap);
        const expiresAtMs = parseExpiry(expiresAt);
        return viewNew(await identity.rotateCredential(actOf(call), id, overlapMs, expiresAtMs));
      },
    }),
    defineAct({
      name: 'console.credentials.revoke',
      summary: 'Revokes a credential and its tokens, within a second.',
      params: Type.Object({ id: idParam('credential') }),
      act: (call, { id }) => identity.revokeCredential(actOf(call), id),
    }),
  ];
}

function parseExpiry(text: string | undefined): number | null {
  if (text === undefined) return null;
  const us = parseInstant(text);
  if (Number.isNaN(us)) throw invalidParams({ expiresAt: [instantProblem(text)] });
  return Math.floor(us / 1000);
}

function parseOverlap(text: string): number {
  const us = parseFixedDuration(text);
  if (typeof us !== 'number') throw invalidParams({ overlap: [us.problem] });
  if (us < 0) throw invalidParams({ overlap: [`must not be negative, got ${JSON.stringify(text)}`] });
  return Math.floor(us / 1000);
}
