/** Checks whether a text is a host as in a parsed address, or one with a port: `idp.internal:8443`, `[::1]:80`. */
export function isHostEntry(text: string): boolean {
  if (!/^[\w.:[\]-]+$/.test(text)) return false;
  const host = text.replace(/:\d{1,5}$/, '');
  return URL.canParse(`http://${text}/`) && new URL(`http://${host}/`).href === `http://${host}/`;
}
