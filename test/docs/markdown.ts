/** Finds the anchors of the headings of a Markdown text on GitHub. */
export function anchorsOf(markdown: string): ReadonlySet<string> {
  const seen = new Map<string, number>();
  const anchors = withoutBlocks(markdown)
    .split('\n')
    .flatMap((line) => /^#{1,6}\s+(.+?)\s*$/.exec(line)?.[1] ?? [])
    .map((heading) => {
      const slug = slugOf(heading);
      const count = seen.get(slug) ?? 0;
      seen.set(slug, count + 1);
      return count === 0 ? slug : `${slug}-${count}`;
    });
  return new Set(anchors);
}

/** Finds the targets of all links and images in a Markdown text, as they are written. */
export function linksOf(markdown: string): readonly string[] {
  const text = withoutBlocks(markdown).replace(/`[^`\n]*`/g, '');
  const inline = text.matchAll(/\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g);
  const definitions = text.matchAll(/^\s*\[[^\]]+\]:\s+(\S+)/gm);
  return [...inline, ...definitions].flatMap((match) => match[1] ?? []);
}

/** A link of a Markdown text whose text is one piece of code: a file, or a name that a file defines. */
interface CodeLink {
  readonly code: string;
  readonly target: string;
}

/** Finds the links of a Markdown text whose text is one piece of code. */
export function codeLinksOf(markdown: string): readonly CodeLink[] {
  const links = withoutBlocks(markdown).matchAll(/\[`([^`\]]+)`\]\(([^)\s]+)\)/g);
  return [...links].map(([, code = '', target = '']) => ({ code, target }));
}

/** Folders of the project with files that pages name. */
const rootFolders = /^(bin|lib|functions|shared|test|bench|docs)\//;

/** Finds the paths in the project that inline code names, without placeholders such as `<family>` and `*`. */
export function pathsOf(markdown: string): readonly string[] {
  const code = withoutBlocks(markdown).matchAll(/`([^`\n]+)`/g);
  const words = [...code].flatMap(([, text = '']) => text.split(/\s+/));
  return words.filter((word) => rootFolders.test(word) && !/[<>*{}…]/.test(word));
}

/** Returns the cells of the first table after a heading, by the text of the first cell, without its header. */
export function tableAfter(markdown: string, heading: string): ReadonlyMap<string, string[]> {
  const [, section = ''] = markdown.split(`${heading}\n`);
  const [table = ''] = /(?:^\|.*\n)+/m.exec(section) ?? [];
  const rows = table.trim().split('\n').slice(2);
  return new Map(
    rows.map((row) => {
      const [first = '', ...rest] = row.split('|').slice(1, -1);
      return [first.trim(), rest.map((cell) => cell.trim())];
    }),
  );
}

/** Removes code blocks, whose lines may look like headings (`#`) or links (lists of lists). */
function withoutBlocks(markdown: string): string {
  return markdown.replace(/^(```+|~~~+)[\s\S]*?^\1/gm, '');
}

function slugOf(heading: string): string {
  return heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
}
