import { html, htmlText } from '../../core/pages/html.ts';
import type { Mail } from '../../ports/ports.ts';

/** Content of a mail, in plain words. */
export interface Letter {
  readonly to: string;
  readonly subject: string;
  readonly paragraphs: readonly string[];
  /** The page of the console that does what the mail is about. */
  readonly link: { readonly label: string; readonly url: string };
  /** Values that a program sends instead, with a sentence that says where to. */
  readonly forPrograms: { readonly intro: string; readonly lines: readonly string[] };
}

const closing = 'If you did not expect this mail, you can ignore it.';
const bodyStyle = 'font-family: sans-serif; line-height: 1.5; max-width: 36em; color: #1f2328';
const linkStyle =
  'display: inline-block; padding: 0.6em 1.2em; border-radius: 6px; background: #1f6feb; color: #ffffff';
const smallStyle = 'font-size: 85%; color: #59636e; overflow-wrap: anywhere';

/** Lays a letter out as text and as HTML, with the same content. */
export function layOutMail({ to, subject, paragraphs, link, forPrograms }: Letter): Mail {
  const { intro, lines } = forPrograms;
  const parts = [...paragraphs, `${link.label}:\n${link.url}`, closing, `--\n${intro}`];
  const page = html`<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>${subject}</title></head>
<body style="${bodyStyle}">
${paragraphs.map((paragraph) => html`<p>${paragraph}</p>\n`)}
<p><a href="${link.url}" style="${linkStyle}">${link.label}</a></p>
<p style="${smallStyle}">This button opens ${link.url}</p>
<p>${closing}</p>
<hr>
<p style="${smallStyle}">${intro}</p>
<pre style="${smallStyle}">${lines.join('\n')}</pre>
</body>
</html>
`;
  const text = `${parts.join('\n\n')}\n\n${lines.join('\n')}\n`;
  return { to, subject, text, html: htmlText(page) };
}
