import type { Page } from 'playwright-core';
import type { TaskName } from './counts.ts';
import type { Hand } from './hand.ts';

/** Does a task from the overview of the instance to where its result is seen. */
type Task = (hand: Hand, page: Page) => Promise<void>;

/** Text of the type in the list, and name. */
const fields = [
  ['string: up to 128 characters', 'title'],
  ['integer: a whole number', 'pages'],
  ['boolean: true or false', 'read'],
  ['datetime: a point in time', 'bought'],
  ['file: a picture or other file', 'cover'],
  ['geopoint: a place on the map', 'shop'],
] as const;

/** Ten rows. */
const csv = [
  'title,pages,stock',
  ...Array.from({ length: 10 }, (_, row) => `Row ${row},${200 + row},${row}`),
].join('\n');

const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

async function openBooks(hand: Hand, page: Page): Promise<void> {
  await hand.click(link(page, 'Classes').first());
  await hand.click(link(page, 'Objects of book'));
  await page.getByRole('grid').waitFor();
}

async function makeClass(hand: Hand, page: Page): Promise<void> {
  await hand.click(link(page, 'Classes').first());
  await hand.click(link(page, 'New class'));
  await page.getByRole('heading', { level: 1, name: 'New class' }).waitFor();
  await hand.write(page.getByLabel('Name', { exact: true }), 'novel');
  for (const [type, name] of fields) {
    await hand.click(button(page, 'Add a field'));
    const field = page.getByRole('group', { name: 'New field' });
    if (name !== 'title') await hand.choose(field.getByLabel('Type'), type);
    await hand.write(field.getByLabel('Name'), name);
  }
  await hand.click(button(page, 'Create the class'));
  await hand.see(page.getByRole('heading', { name: 'Structure of novel' }));
}

async function findObject(hand: Hand, page: Page): Promise<void> {
  await openBooks(hand, page);
  await hand.click(page.getByText('Filter and order'));
  await hand.click(button(page, 'Add a condition'));
  await hand.write(page.getByLabel('Value'), 'Persuasion');
  await hand.press('Enter');
  await page.getByText('1 in all.').waitFor();
  await hand.see(page.getByRole('gridcell', { name: 'Persuasion' }));
}

async function changeValue(hand: Hand, page: Page): Promise<void> {
  await openBooks(hand, page);
  const row = page.getByRole('row').filter({ hasText: 'Villette' });
  await hand.doubleClick(row.getByRole('gridcell', { name: '2', exact: true }));
  await hand.replace(row.getByRole('spinbutton').or(row.getByRole('textbox')), '15');
  await hand.press('Enter');
  await hand.see(row.getByRole('gridcell', { name: '15', exact: true }));
}

async function deleteObject(hand: Hand, page: Page): Promise<void> {
  await openBooks(hand, page);
  const row = page.getByRole('row').filter({ hasText: 'Shirley' });
  await hand.click(row.getByRole('checkbox'));
  await hand.click(button(page, 'Delete'));
  await hand.write(page.getByLabel('Type book to confirm'), 'book');
  await hand.click(page.getByRole('dialog').getByRole('button', { name: 'Delete' }));
  await row.waitFor({ state: 'detached' });
}

async function giveRight(hand: Hand, page: Page): Promise<void> {
  await hand.click(link(page, 'Users'));
  await hand.click(link(page, 'ada'));
  await hand.click(button(page, 'Add to the group'));
  await hand.see(link(page, 'Readers'));
}

async function readFailure(hand: Hand, page: Page): Promise<void> {
  await hand.click(link(page, 'Health'));
  await hand.click(link(page, 'Script receipt'));
  await hand.click(page.getByRole('button', { name: /^Run \d/ }).first());
  await hand.see(page.getByText(/TypeError/).first());
}

async function runScript(hand: Hand, page: Page): Promise<void> {
  await hand.click(link(page, 'Scripts').first());
  await hand.click(link(page, 'greet'));
  await hand.click(button(page, 'Run'));
  await hand.see(page.getByRole('region', { name: 'Output' }).getByText('hello, reader'));
}

async function createUser(hand: Hand, page: Page): Promise<void> {
  await hand.click(link(page, 'Users'));
  await hand.click(button(page, 'New user').first());
  await hand.write(page.getByLabel('Name', { exact: true }), 'edgar@example.com');
  await hand.write(page.getByLabel('Password'), 'first password');
  await hand.press('Enter');
  await hand.see(page.getByRole('heading', { name: 'edgar@example.com', level: 1 }));
}

async function connect(hand: Hand, page: Page): Promise<void> {
  await hand.click(link(page, 'API keys'));
  await hand.click(button(page, 'New key').first());
  await hand.click(button(page, 'Make the key'));
  await page.getByRole('row').nth(1).waitFor();
  await hand.click(link(page, 'Classes').first());
  await hand.click(link(page, 'Reference of book'));
  await hand.see(page.getByText('curl').first());
}

async function backUp(hand: Hand, page: Page): Promise<void> {
  await hand.click(link(page, 'Backups'));
  await hand.click(button(page, 'Back up now').first());
  await hand.click(button(page, 'Make the backup'));
  await hand.see(page.getByRole('row').getByText('success'));
}

async function importRows(hand: Hand, page: Page): Promise<void> {
  await openBooks(hand, page);
  await hand.click(button(page, 'Import'));
  const file = { name: 'books.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) };
  await hand.attach(page.getByRole('dialog').locator('input[type=file]'), file);
  await page.getByText('Which field').waitFor(); // it has read the head of the file
  await hand.click(page.getByRole('dialog').getByRole('button', { name: 'Import' }));
  await hand.see(page.getByText(/10 .*imported/).first());
}

/** Every task, as it is done in the console. */
export const tasks: Readonly<Record<TaskName, Task>> = {
  'make a class of six fields': makeClass,
  'find an object by a value': findObject,
  'change one value of an object': changeValue,
  'delete one object': deleteObject,
  'give a user a right': giveRight,
  'see why a script failed': readFailure,
  'run a script and see its output': runScript,
  'create a user': createUser,
  'make an API key and get a first request as curl': connect,
  'make a backup': backUp,
  'import a CSV of ten rows': importRows,
};
