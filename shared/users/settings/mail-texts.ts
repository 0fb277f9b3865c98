import { type UserMailText, userLetters } from '../../table/records/user-accounts.ts';
import { isJsonObject } from '../../values/json/json.ts';
import { characterCount, read, reject, type ValueResult } from '../../values/scalars.ts';

/** Maximum characters of a letter's subject and text, and bytes of all texts of an instance. */
export const mailTextLimits = { subject: 150, text: 8192, bytes: 65_536 } as const;

/** Texts of letters, by letter. */
export type MailTexts = Readonly<Partial<Record<(typeof userLetters)[number], UserMailText>>>;

/** Reads the texts of letters, but for the syntax of their templates. A letter of null has none of its own. */
export function readMailTexts(input: unknown): ValueResult<MailTexts> {
  if (!isJsonObject(input)) return reject('An object with a member for each letter is needed.');
  const texts: Record<string, UserMailText> = {};
  for (const [name, text] of Object.entries(input)) {
    const letter = userLetters.find((each) => each === name);
    if (letter === undefined) {
      return reject(`There is no letter "${name}": there are ${userLetters.join(', ')}.`);
    }
    if (text === null) continue;
    const reading = readText(text);
    if (!reading.ok) return reject(...reading.messages.map((each) => `${name}: ${each}`));
    texts[letter] = reading.value;
  }
  const bytes = Buffer.byteLength(JSON.stringify(texts));
  if (bytes <= mailTextLimits.bytes) return read(texts);
  return reject(`All texts together may have ${mailTextLimits.bytes} bytes.`);
}

function readText(input: unknown): ValueResult<UserMailText> {
  const { subject, text, ...others } = isJsonObject(input) ? input : {};
  const isWhole = typeof subject === 'string' && typeof text === 'string';
  if (!isWhole || Object.keys(others).length > 0) return reject('It has a subject and a text.');
  if (!subject.isWellFormed() || !text.isWellFormed()) return reject('It has half of a character.');
  if (/\p{Cc}|\u2028|\u2029/u.test(subject)) return reject('The subject is one line.');
  for (const [name, value] of [
    ['subject', subject],
    ['text', text],
  ] as const) {
    if (value.trim() === '') return reject(`The ${name} may not be blank.`);
    const max = mailTextLimits[name];
    if (characterCount(value) > max) return reject(`The ${name} may have ${max} characters.`);
  }
  return read({ subject, text });
}
