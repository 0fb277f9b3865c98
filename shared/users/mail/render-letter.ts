import { layOutMail } from '../../accounts/mail/mail-layout.ts';
import type { Log, Mail, Platform } from '../../ports/ports.ts';
import type { InstanceData } from '../../table/records/records.ts';
import type { UserLetter, UserMailText } from '../../table/records/user-accounts.ts';
import type { Tenant } from '../../values/tenant.ts';
import { defaultLetters } from './default-letters.ts';

/** Variables of the texts of letters. */
export type LetterVariables = {
  /** Description of the instance, or its name. */
  readonly app: string;
  readonly link: string;
  readonly code: string;
  /** Address of the reader, shortened. */
  readonly email: string;
  /** How long link and code are valid. */
  readonly minutes: number;
};

/** A letter to one reader. */
export interface LetterText {
  readonly letter: UserLetter;
  /** Text of the instance; undefined: the default one. */
  readonly own: UserMailText | undefined;
  readonly variables: LetterVariables;
  readonly to: string;
}

/** A letter that was rendered, or the message of the template that failed. */
export type RenderedLetter =
  | { readonly ok: true; readonly mail: Mail }
  | { readonly ok: false; readonly problem: string };

const maxSubject = 150; // characters of a line of a header, as mail clients show it
const maxText = 10_000;
const maxValue = 64;

/** Returns how mails name the app of an instance. */
export function appName({ description, name }: Pick<InstanceData, 'description' | 'name'>): string {
  return shownText(description) || name;
}

/** Returns values for a preview of a letter. */
export function previewVariables(letter: UserLetter, app: string, apiUrl: string): LetterVariables {
  const isLinked = defaultLetters[letter].label !== '';
  return {
    app,
    link: isLinked ? `${apiUrl}/#token=…` : '',
    code: letter === 'code' ? '123456' : '',
    email: shownAddress('reader@example.com'),
    minutes: minutesOf(letter),
  };
}

/** Returns for how long the link or code of a letter is valid. */
export function minutesOf(letter: UserLetter): number {
  if (letter === 'code') return 10;
  return letter === 'register' || letter === 'confirm' ? 24 * 60 : 60;
}

/** Renders a letter with the text of its instance (docs/reference/user-accounts.md#texts-of-mails). */
export async function renderLetter(
  { templates }: Pick<Platform, 'templates'>,
  { letter, own, variables, to }: LetterText,
  tenant: Tenant,
): Promise<RenderedLetter> {
  if (own === undefined) return { ok: true, mail: defaultMail({ letter, variables, to }) };
  const { app, minutes } = variables;
  const subject = await templates.render(own.subject, { app, minutes }, tenant);
  if (!subject.ok) return subject;
  const text = await templates.render(own.text, variables, tenant);
  if (!text.ok) return text;
  const mail = layOut({ letter, variables, to }, { subject: subject.text, text: text.text });
  return { ok: true, mail };
}

/** Renders a letter; where the text of the instance fails, the default one, and a line of the log says so. */
export async function renderOrDefault(
  platform: Pick<Platform, 'templates'> & { readonly log: Log },
  letter: LetterText,
  tenant: Tenant,
): Promise<Mail> {
  const rendered = await renderLetter(platform, letter, tenant);
  if (rendered.ok) return rendered.mail;
  const { instance } = tenant;
  const message = 'the text of a mail could not be rendered';
  platform.log({ level: 'error', message, instance, letter: letter.letter });
  return defaultMail(letter);
}

/**
 * Returns a text that a mail may show: on one line, without control characters and marks of direction, and without the
 * characters of which a reader's program makes links.
 */
export function shownText(text: string): string {
  const allowed = text.normalize('NFC').replace(/[^\p{L}\p{M}\p{N} ,'’()&+-]/gu, ' ');
  return cut(allowed.replace(/ +/g, ' ').trim(), maxValue);
}

/** Returns how a mail shows the address of its reader: too little of the mailbox to say anything with it. */
export function shownAddress(address: string): string {
  const at = address.lastIndexOf('@');
  const mailbox = address.slice(0, at).replace(/[^\p{L}\p{N}]/gu, '');
  return cut(`${cut(mailbox, 3)}…${address.slice(at)}`, maxValue);
}

type Defaults = Omit<LetterText, 'own'>;

function defaultMail({ letter, variables, to }: Defaults): Mail {
  const { subject, text } = defaultLetters[letter];
  const filled = text.replace(/\{\{ (\w+) \}\}/g, (_, name: keyof LetterVariables) =>
    String(variables[name]),
  );
  return layOut({ letter, variables, to }, { subject, text: filled });
}

function layOut({ letter, variables, to }: Defaults, { subject, text }: UserMailText): Mail {
  const { link: url } = variables;
  const label = defaultLetters[letter].label || subject;
  const paragraphs = cut(withoutControls(text), maxText)
    .split(/\n\s*\n/)
    .map((each) => each.trim())
    .filter((each) => each !== '');
  return layOutMail({
    to,
    subject: oneLine(subject) || defaultLetters[letter].subject,
    paragraphs,
    link: url === '' ? undefined : { label, url },
  });
}

function oneLine(text: string): string {
  return cut(withoutControls(text).replace(/\s+/g, ' ').trim(), maxSubject);
}

/** Removes control characters except line feeds, and characters that hide or turn others. */
function withoutControls(text: string): string {
  return text
    .replace(/\r\n?|[\u2028\u2029\v\f]/g, '\n')
    .replace(/\t/g, ' ')
    .replace(
      /(?!\n)[\p{Cc}\p{Cs}\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/gu,
      '',
    );
}

function cut(text: string, max: number): string {
  const characters = [...text];
  return characters.length > max ? characters.slice(0, max).join('') : text;
}
