/** What a tool is. */
import type { Client } from '@tidemark/client';
import type { InputSchema, Methods } from './document.ts';

/** What a tool works with. */
export interface Session {
  client: Client;
  /** The integration of the credentials, for tools that write. */
  integration: string;
  signal: AbortSignal;
}

/** The arguments of a tool. The service checks those that it is given; a tool checks its own. */
export type Arguments = Readonly<Record<string, unknown>>;

/** A tool. */
export interface Tool {
  name: string;
  title: string;
  description: string;
  /** Whether it changes what the service stores; offered with --allow-writes only. */
  isWrite: boolean;
  input(methods: Methods): InputSchema;
  run(session: Session, args: Arguments): Promise<object>;
}

/** An argument that is wrong; the message names it. */
export class ArgumentError extends Error {}

/** A list of texts. Throws {@link ArgumentError}. */
export function textsOf(args: Arguments, name: string, max: number): string[] {
  const value = args[name];
  if (!Array.isArray(value) || value.length === 0 || !value.every((each) => typeof each === 'string'))
    throw new ArgumentError(`${name}: must be a list of texts with at least one`);
  if (value.length > max) throw new ArgumentError(`${name}: must be at most ${max}, got ${value.length}`);
  return value;
}
