/** Stored bytes that are not as they were written. */
import { AppError } from '#model/error';

/**
 * Something in the store is not as it was written. The message names it: its block or row, its signal and its time range where
 * they are known. Nothing is answered from it.
 */
export class StoredDamage extends AppError {
  /** `signal`: the number of the signal whose points are affected; null when any may be. */
  constructor(message: string, signal: number | null = null) {
    const invalidResources = signal === null ? [] : [{ type: 'signals', id: String(signal), message }];
    super('found-invalid-resource', message, { invalidResources });
  }
}
