/*
 * Other platforms call the function that a file exports by default; here a script runs from its first line to its last,
 * and such a file does nothing.
 */

const functionStart = String.raw`(?:async\s+)?function\s*\*?`;
const arrow = String.raw`(?:async\s*)?(?:\([^()]*\)|[\w$]+)\s*=>`;
const anonymous = new RegExp(
  String.raw`^[ \t]*export\s+default\s+(?:${functionStart}\s*\(|${arrow})`,
  'm',
);
const declared = new RegExp(String.raw`^[ \t]*export\s+default\s+${functionStart}\s*([\w$]+)`, 'm');
const named = /^[ \t]*export\s+default\s+([\w$]+)\s*;?[ \t]*$/m;

/** Returns what a file exports by default, if that is a function that nothing in the file uses; else undefined. */
export function uncalledExport(text: string): string | undefined {
  if (anonymous.test(text)) return 'a function';
  const own = declared.exec(text);
  if (own?.[1] !== undefined) return uses(text.replace(own[0], ''), own[1]) ? undefined : own[1];
  const exported = named.exec(text);
  if (exported?.[1] === undefined) return undefined;
  const name = exported[1];
  const declaration = new RegExp(
    String.raw`\b(?:${functionStart}\s*${escapeName(name)}(?![\w$])|(?:const|let|var)\s+${escapeName(name)}\s*=\s*(?:${functionStart}|${arrow}))`,
  );
  if (!declaration.test(text)) return undefined;
  return uses(text.replace(exported[0], '').replace(declaration, ''), name) ? undefined : name;
}

function uses(text: string, name: string): boolean {
  return new RegExp(String.raw`(?<![\w$])${escapeName(name)}(?![\w$])`).test(text);
}

function escapeName(name: string): string {
  return name.replaceAll('$', String.raw`\$`);
}
