import type { JsonObject } from '../../values/json/json.ts';

/** A template, as far as a response is rendered with it. */
export interface Rendering {
  readonly content: string;
  readonly content_type: string;
  /** Variables of its own. */
  readonly context: JsonObject;
  /** Whether the template was removed: the name is then unknown. */
  readonly isRemoved?: boolean;
}
