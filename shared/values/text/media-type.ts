/** Returns the media type of a `Content-Type` in lower case, without parameters; empty when absent. */
export function mediaType(contentType: string): string {
  if (contentType === 'application/json') return contentType;
  const end = contentType.indexOf(';');
  return (end < 0 ? contentType : contentType.slice(0, end)).trim().toLowerCase();
}
