/** Results that are text already. */

/**
 * JSON that is written already, because it has a thousand members of one form, or because it is always the same; answered as it
 * is. Who makes one vouches that it is JSON. Bytes are shared by all answers that have them: nobody may change them.
 */
export class JsonText {
  readonly text: string | Buffer;

  constructor(text: string | Buffer) {
    this.text = text;
  }
}
