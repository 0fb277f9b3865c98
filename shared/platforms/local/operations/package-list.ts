/** One package of a list, with an exact version and its hashes. */
export interface ListedPackage {
  readonly name: string;
  readonly version: string;
  /** The line for pip. */
  readonly requirement: string;
}

const line =
  /^([A-Za-z0-9][\w.-]*)[ \t]*==[ \t]*(\w[\w.!+-]*)((?:[ \t]+--hash=sha256:[0-9a-f]{64})+)$/;
const form = 'takes an exact version and its hashes: name==1.2.3 --hash=sha256:…';

/**
 * Parses a list of Python packages: a part of pip's format that permits only exact versions with hashes, so that the
 * list alone decides what is installed.
 *
 * @throws Error that names the line
 */
export function parsePackageList(text: string): readonly ListedPackage[] {
  const packages: ListedPackage[] = [];
  for (const { number, content } of logicalLines(text)) {
    const [requirement, name, version] = line.exec(content) ?? [];
    if (requirement === undefined || name === undefined || version === undefined) {
      throw new Error(`line ${number}: a package ${form}`);
    }
    packages.push({ name, version, requirement });
  }
  if (packages.length === 0) throw new Error('the list has no packages');
  return packages;
}

/** Returns the lines without comments, joined where a backslash continues them. */
function logicalLines(text: string) {
  const lines: { number: number; content: string }[] = [];
  let open: { number: number; content: string } | undefined;
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const part = raw.replace(/(^|\s)#.*$/, '').trim();
    open ??= { number: index + 1, content: '' };
    open.content = `${open.content} ${part.replace(/\\$/, '')}`.trim();
    if (part.endsWith('\\')) continue;
    if (open.content !== '') lines.push(open);
    open = undefined;
  }
  if (open !== undefined && open.content !== '') lines.push(open);
  return lines;
}
