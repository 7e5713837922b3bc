/** The error of a call above its rate limit (L4): -32015 in an answer, HTTP 429 where it is the whole request (E3). */
import { AppError } from './error.ts';
import { printRate, type Rate } from './plan.ts';
import type { RateStatus } from './rate-status.ts';

/** A method was called more often than the plan allows. */
export class RateExceeded extends AppError {
  /** Its `resetS` is the time after which a call is allowed again. */
  readonly status: RateStatus;

  /** `what` names the method and the plan. */
  constructor(what: string, rate: Rate, status: RateStatus) {
    super('try-again', `Too many calls: ${what} allows ${printRate(rate)}; try again in ${status.resetS} s`);
    this.status = status;
  }
}
