/** The error of a call that is turned away because too much is to be done; nothing of it was begun. */
import { AppError } from '#model/error';

/** `try-again`, with the time after which that makes sense. A single call is answered HTTP 503 (E3), one of a batch -32015. */
export class Overload extends AppError {
  readonly retryAfterS: number;

  /** `message` says what is full. */
  constructor(message: string, retryAfterS = 2) {
    super('try-again', message);
    this.retryAfterS = retryAfterS;
  }
}
