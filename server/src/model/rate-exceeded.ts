/** The refusal of a call that came too soon (L4): -32015 in an answer, HTTP 429 where it is the whole request (E3). */
import { AppError } from './error.ts';
import { printRate, type Rate } from './plan.ts';

/** A method was called more often than the plan allows. */
export class RateExceeded extends AppError {
  readonly rate: Rate;
  /** Whole seconds after which a call is allowed again, at least 1. */
  readonly retryAfterS: number;

  /** `what` names the method and the plan. */
  constructor(what: string, rate: Rate, waitS: number) {
    const retryAfterS = Math.max(1, Math.ceil(waitS));
    super('try-again', `Too many calls: ${what} allows ${printRate(rate)}; try again in ${retryAfterS} s`);
    this.rate = rate;
    this.retryAfterS = retryAfterS;
  }
}
