/** console.credentials.*: credentials of integrations (A4). A secret is returned only once, in its credentials file. */
import Type from 'typebox';
import { credentialsFile } from '#domain/identity/credentials-file';
import type { Identity, NewCredential } from '#domain/identity/identity';
import { invalidParams } from '#model/error';
import { instantProblem, parseInstant } from '#model/instant';
import type { Method } from '#protocol/method';
import { strict } from '#protocol/schema';
import { actOf } from '../act.ts';
import { printDate } from '../attributes-view.ts';
import { parseFixedDuration } from '../interval.ts';
import { dateOrNull, dateSchema, doneSchema, idParam } from './console-schemas.ts';
import { defineConsole } from './define-console.ts';

const typeSchema = Type.Enum(['client-credentials', 'basic-auth']);
const labelSchema = Type.String({ default: '', description: 'What it is for; at most 128 characters.' });
const expiresAtSchema = Type.Optional(
  Type.String({ description: 'RFC 3339: when it stops to be accepted; default never.' }),
);

const credentialSchema = Type.Object(
  {
    id: idParam('credential'),
    integration: idParam('integration'),
    type: typeSchema,
    label: Type.String(),
    createdAt: dateSchema,
    lastUsedAt: dateOrNull('never used'),
    lastUsedFrom: Type.Union(
      [Type.Object({ address: Type.String(), userAgent: Type.String() }, strict), Type.Null()],
      { description: 'Where that use came from; null: not known.' },
    ),
    expiresAt: dateOrNull('never'),
  },
  { ...strict, title: 'Credential' },
);

const fileSchema = Type.Object(
  {
    apiUrl: Type.String({ description: 'Ends in /v1/.' }),
    integration: Type.String(),
    credentials: Type.Object(
      { type: typeSchema, clientId: Type.String(), clientSecret: Type.String() },
      strict,
    ),
  },
  { ...strict, title: 'CredentialsFile' },
);

const newCredentialSchema = Type.Object({ credential: credentialSchema, file: fileSchema }, strict);

interface Services {
  identity: Identity;
  apiUrl: string;
}

/** The definitions. */
export function consoleCredentials(services: Services): Method[] {
  return [...lookMethods(services), ...changeMethods(services)];
}

function lookMethods(services: Services): Method[] {
  return [
    defineConsole({
      role: 'viewer',
      name: 'console.credentials.list',
      summary: 'Lists the credentials of an integration, oldest first, without their secrets.',
      params: Type.Object({ integration: idParam('integration') }),
      result: Type.Object({ credentials: Type.Array(credentialSchema) }, strict),
      async run(_call, { integration }) {
        return { credentials: (await services.identity.listCredentials(integration)).map(view) };
      },
    }),
  ];
}

function changeMethods(services: Services): Method[] {
  return [
    defineConsole({
      name: 'console.credentials.create',
      summary: 'Makes a credential; its file, with the secret, is answered this once.',
      params: Type.Object({
        integration: idParam('integration'),
        type: typeSchema,
        label: labelSchema,
        expiresAt: expiresAtSchema,
      }),
      result: newCredentialSchema,
      async run(call, { integration, type, label, expiresAt }) {
        const expiresAtMs = parseExpiry(expiresAt);
        const act = actOf(call);
        return viewNew(
          services,
          await services.identity.createCredential(act, integration, type, label, expiresAtMs),
        );
      },
    }),
    defineConsole({
      name: 'console.credentials.rotate',
      summary:
        'Replaces a credential by a new one of the same type and label; the old one stays valid for a while.',
      params: Type.Object({
        id: idParam('credential'),
        overlap: Type.String({
          default: 'PT24H',
          description: 'For how long the old one stays valid, such as PT24H.',
        }),
        expiresAt: expiresAtSchema,
      }),
      result: newCredentialSchema,
      async run(call, { id, overlap, expiresAt }) {
        const overlapMs = parseOverlap(overlap);
        const expiresAtMs = parseExpiry(expiresAt);
        return viewNew(
          services,
          await services.identity.rotateCredential(actOf(call), id, overlapMs, expiresAtMs),
        );
      },
    }),
    defineConsole({
      name: 'console.credentials.revoke',
      summary: 'Ends a credential and its tokens, within a second.',
      params: Type.Object({ id: idParam('credential') }),
      result: doneSchema,
      async run(call, { id }) {
        await services.identity.revokeCredential(actOf(call), id);
        return {};
      },
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

function viewNew({ apiUrl }: Services, { credential, secret }: NewCredential) {
  return { credential: view(credential), file: credentialsFile(apiUrl, credential, secret) };
}

function view({
  id,
  integration,
  type,
  label,
  createdAtMs,
  lastUsedAtMs,
  lastUsedFrom,
  expiresAtMs,
}: NewCredential['credential']) {
  return {
    id,
    integration,
    type,
    label,
    createdAt: printDate(createdAtMs),
    lastUsedAt: dateOf(lastUsedAtMs),
    lastUsedFrom,
    expiresAt: dateOf(expiresAtMs),
  };
}

function dateOf(ms: number | null): string | null {
  return ms === null ? null : printDate(ms);
}
