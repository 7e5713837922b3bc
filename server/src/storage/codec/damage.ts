/** The error for damaged data in the store. */
import { AppError } from '#model/error';

/**
 * Data in the store are damaged. The message names the block or row, and its signal and time range if they are known. Damaged
 * data are never used for answers.
 */
export class StoredDamage extends AppError {
  /** `signal`: the number of the signal whose points are affected; null when any may be. */
  constructor(message: string, signal: number | null = null) {
    const invalidResources = signal === null ? [] : [{ type: 'signals', id: String(signal), message }];
    super('found-invalid-resource', message, { invalidResources });
  }
}
