import type { JsonObject } from './json.ts';

/** An object as its JSON, which is parsed only where its members are needed. */
export class BodyText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** Returns its members. Lets `JSON.stringify` write it, too. */
  toJSON(): JsonObject {
    return JSON.parse(this.text) as JsonObject; // the text of an object
  }
}
