/** Results that are serialised already. */

/**
 * A serialised result, for results with thousands of uniform members or constant results; sent as it is. The creator must ensure
 * that it is valid JSON. Bytes are shared by all answers and must not be changed.
 */
export class JsonText {
  readonly text: string | Buffer;

  constructor(text: string | Buffer) {
    this.text = text;
  }
}

/** A result that is serialised part by part, while it is sent: for those with tens of thousands of members. */
export class JsonParts {
  /** The parts, which are valid JSON together. */
  readonly parts: () => Iterable<string>;

  constructor(parts: () => Iterable<string>) {
    this.parts = parts;
  }
}
