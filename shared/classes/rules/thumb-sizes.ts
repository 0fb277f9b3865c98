const maxSizes = 8; // docs/reference/classes.md#schema-format. Of a field
const maxSide = 2000; // docs/reference/classes.md#schema-format. In pixels

/** Checks whether a text is the size of a picture: `<width>x<height>`, of which one may be 0, which is free. */
export function isThumbSize(text: unknown): text is string {
  if (typeof text !== 'string' || !/^(?:0|[1-9]\d{0,3})x(?:0|[1-9]\d{0,3})$/.test(text))
    return false;
  const { width, height } = sidesOf(text);
  return width + height > 0 && Math.max(width, height) <= maxSide;
}

/** Checks whether a value is a list of different sizes of pictures. */
export function areThumbSizes(value: unknown): value is readonly string[] {
  if (!Array.isArray(value) || value.length > maxSizes) return false;
  return value.every(isThumbSize) && new Set(value).size === value.length;
}

/** Returns the sides of a size in pixels; 0: free. */
export function sidesOf(size: string): { readonly width: number; readonly height: number } {
  const [width = 0, height = 0] = size.split('x').map(Number);
  return { width, height };
}
