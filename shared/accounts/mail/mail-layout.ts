import { type Html, html, htmlText } from '../../core/pages/html.ts';
import type { Mail } from '../../ports/ports.ts';

/** Content of a mail, in plain words. */
interface Letter {
  readonly to: string;
  readonly subject: string;
  readonly paragraphs: readonly string[];
  /** The page that does what the mail is about; a paragraph may contain its address. */
  readonly link?: MailLink | undefined;
  /** Of mails of accounts: values that a program sends instead, with a sentence that says where to. */
  readonly forPrograms?: { readonly intro: string; readonly lines: readonly string[] };
}

interface MailLink {
  readonly label: string;
  readonly url: string;
}

const closing = 'If you did not expect this mail, you can ignore it.';
const bodyStyle = 'font-family: sans-serif; line-height: 1.5; max-width: 36em; color: #1f2328';
const linkStyle =
  'display: inline-block; padding: 0.6em 1.2em; border-radius: 6px; background: #1f6feb; color: #ffffff';
const smallStyle = 'font-size: 85%; color: #59636e; overflow-wrap: anywhere';

/** Lays a letter out as text and as HTML, with the same content. */
export function layOutMail({ to, subject, paragraphs, link, forPrograms }: Letter): Mail {
  const isLinked = link !== undefined && paragraphs.some((each) => each.includes(link.url));
  const own = isLinked ? undefined : link;
  const parts = [
    ...paragraphs,
    ...(own ? [`${own.label}:\n${own.url}`] : []),
    ...(forPrograms ? [closing, `--\n${forPrograms.intro}`, forPrograms.lines.join('\n')] : []),
  ];
  const page = html`<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>${subject}</title></head>
<body style="${bodyStyle}">
${paragraphs.map((paragraph) => html`<p>${lines(paragraph, link?.url)}</p>\n`)}${own && linkHtml(own)}${
  forPrograms &&
  html`<p>${closing}</p>
<hr>
<p style="${smallStyle}">${forPrograms.intro}</p>
<pre style="${smallStyle}">${forPrograms.lines.join('\n')}</pre>
`
}</body>
</html>
`;
  return { to, subject, text: `${parts.join('\n\n')}\n`, html: htmlText(page) };
}

function linkHtml({ label, url }: MailLink): Html {
  return html`<p><a href="${url}" style="${linkStyle}">${label}</a></p>
<p style="${smallStyle}">This button opens ${url}</p>
`;
}

/** Returns a paragraph with its line breaks, and the address of the link as one. */
function lines(paragraph: string, url: string | undefined): readonly (Html | string)[] {
  return paragraph
    .split('\n')
    .flatMap((line, at) => [
      ...(at === 0 ? [] : [html`<br>\n`]),
      ...(url === undefined ? [line] : anchored(line, url)),
    ]);
}

function anchored(line: string, url: string): readonly (Html | string)[] {
  return line
    .split(url)
    .flatMap((text, at) => (at === 0 ? [text] : [html`<a href="${url}">${url}</a>`, text]));
}
