/** The error of a request that is refused because too much is under way; nothing of it was begun. */
import { AppError } from '#model/error';

/** `try-again`, with the time after which that makes sense. A single call is answered HTTP 503 (E3), one of a batch -32015. */
export class Overload extends AppError {
  readonly retryAfterS: number;

  /** `full` says what is at its limit, such as `128 reads are waiting`. */
  constructor(full: string, retryAfterS = 2) {
    super('try-again', `Try again: ${full}`);
    this.retryAfterS = retryAfterS;
  }
}
