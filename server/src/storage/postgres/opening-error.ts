/** Why the metadata in PostgreSQL cannot be opened, and what to do about it. */
import { AppError, conflict } from '#model/error';
import { shown } from './addresses.ts';
import { stateOf } from './errors.ts';

const advice: Readonly<Record<string, string>> = {
  '28P01': 'it refuses the password: check the user and the password in the URL',
  '28000': 'it refuses this user: check the user in the URL, and pg_hba.conf of the server',
  '3D000':
    'it has no such database: run "create database NAME encoding \'UTF8\' template template0", or correct the URL',
  '42501':
    'the role lacks a right: let the role own the schema, or run "tidemark schema print" and its output as an administrator',
  '53300': 'it has no free connection: raise max_connections, or lower the number of nodes',
};

/** The error for the operator; the message names the server, without the password. */
export function openingError(error: unknown, addresses: readonly string[]): unknown {
  const where = `PostgreSQL at ${addresses.map(shown).join(', ')}`;
  const state = stateOf(error);
  const detail = error instanceof Error ? error.message : String(error);
  const options = { detail, cause: error };
  if (error instanceof AppError)
    return new AppError(error.kind, `${where}: ${error.message}`, { ...options, detail: error.detail });
  if (state !== null && advice[state] !== undefined)
    return conflict(`${where}: ${advice[state]} (${detail})`, options);
  if (state !== null)
    return new AppError('unavailable', `${where} answers with an error: ${detail}`, options);
  const reason = detail === '' ? 'no address answers' : detail;
  return new AppError(
    'unavailable',
    `${where} cannot be reached: ${reason}; check the address, the network, and that the server runs`,
    options,
  );
}
