/** What is wrong with an Arrow stream as a whole. */
import { type AppError, invalidParams } from '#model/error';

/** An `invalid-params` error at the parameter `data`. */
export function streamFault(words: string): AppError {
  return invalidParams({ data: [`is not an Arrow stream that can be read: ${words}`] });
}
