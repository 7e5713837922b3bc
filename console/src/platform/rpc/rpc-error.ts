/** The error of a call, in a form for display. */

/** An error of the service or of the way to it. */
export class RpcError extends Error {
  /** JSON-RPC code; 0 for what happened outside of it. */
  readonly code: number;
  /** HTTP status; 0 when there was no answer. */
  readonly status: number;
  /** Under which the log of the service has more. */
  readonly trace: string | null;
  /** Messages by the path of the parameter that they are about. */
  readonly params: Readonly<Record<string, readonly string[]>>;

  constructor(message: string, facts: Partial<Pick<RpcError, 'code' | 'status' | 'trace' | 'params'>> = {}) {
    super(message);
    this.name = 'RpcError';
    this.code = facts.code ?? 0;
    this.status = facts.status ?? 0;
    this.trace = facts.trace ?? null;
    this.params = facts.params ?? {};
  }

  /** Whether the session has ended, or another one has begun in another window of this browser. */
  get isSignedOut(): boolean {
    return this.status === 401 || (this.status === 403 && this.code === 0);
  }
}

/** The error where no answer came. */
export function notReached(): RpcError {
  return new RpcError('The service cannot be reached. Is it running, and is the network up?');
}

/** The message about a field: that of its own path, or of one below it; undefined when there is none. */
export function fieldError(error: unknown, path: string): string | undefined {
  if (!(error instanceof RpcError)) return undefined;
  const found = Object.entries(error.params).filter(([key]) => key === path || key.startsWith(`${path}.`));
  return found.length === 0 ? undefined : found.flatMap(([, messages]) => messages).join('; ');
}

/** What to say of any thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
