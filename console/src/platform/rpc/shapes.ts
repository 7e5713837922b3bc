/** Parts of answers that have no name in the API's document, taken from the generated types. */
import type { Result } from '@tidemark/client';
import type { Credential, IntegrationFigures, Signal } from '@tidemark/client/wire';

/** The attributes that signals and items share. */
export type Attributes = Omit<Signal['attributes'], 'input'>;

/** A namespace other than "integration" that an integration may use. */
export type Grant = IntegrationFigures['grants'][number];

/** How a credential proves itself. */
export type CredentialType = Credential['type'];

/** A credential and its file with the secret, which is shown once. */
export type NewCredential = Result<'1.2', 'console.credentials.create'>;
