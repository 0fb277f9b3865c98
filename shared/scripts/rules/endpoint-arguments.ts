import { isJsonObject, type Json, type JsonObject } from '../../values/json/json.ts';

/** Arguments of an endpoint request. A type and no interface: it is JSON. */
export type EndpointArguments = {
  /** Query parameters; the last one of a repeated one. */
  readonly GET: JsonObject;
  /** The body. */
  readonly POST: JsonObject | readonly Json[];
  /** The bytes of the body in base64, of an endpoint that asks for them. */
  readonly RAW?: string;
};

/**
 * Returns ARGS of a script: its levels by name, and the members of both next to them, those of the query before those
 * of the body (docs/reference/scripts.md#arguments). Scripts of any age find their arguments.
 */
export function toArguments({ GET, ...others }: EndpointArguments): JsonObject {
  const body = isJsonObject(others.POST) ? others.POST : {};
  return { ...body, ...GET, GET, ...others };
}
