/** Results that are text already. */

/**
 * JSON that a method has written itself, because its result has a thousand members of one form; answered as it is. Who makes
 * one vouches that it is JSON.
 */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}
