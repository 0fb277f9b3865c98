import type { JsonObject } from '../../values/json/json.ts';

/** What a response is rendered with. */
export interface Rendering {
  readonly content: string;
  readonly content_type: string;
  /** Variables of its own. */
  readonly context: JsonObject;
  /** Whether it was removed: the name is then unknown. */
  readonly isRemoved?: boolean;
}
