import type { JsonObject } from '../../values/json/json.ts';

/** How the response of a request is rendered. */
export interface Rendering {
  readonly content: string;
  readonly content_type: string;
  /** Values of the content, besides those of the request. */
  readonly context: JsonObject;
  readonly isRemoved?: boolean;
}
