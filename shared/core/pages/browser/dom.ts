/**
 * Returns the element with this id.
 *
 * @throws Error when the page has no such element of this type: the server did not render this page
 */
export function byId<Type extends HTMLElement>(id: string, type: new () => Type): Type {
  const element = document.getElementById(id);
  if (!(element instanceof type)) throw new Error(`no ${type.name} has the id ${id}`);
  return element;
}

/** Creates an element with these properties. */
export function createElement<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  members: Partial<HTMLElementTagNameMap[Tag]>,
): HTMLElementTagNameMap[Tag] {
  return Object.assign(document.createElement(tag), members);
}

/** Returns the message of a thrown value. */
export function thrownMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Checks whether a parsed value is an object. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return Object(value) === value;
}
