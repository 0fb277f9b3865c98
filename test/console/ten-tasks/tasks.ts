import type { Page } from 'playwright-core';
import type { TaskName } from './counts.ts';
import type { Hand } from './hand.ts';

/** Does a task from the overview of the instance to where its result is seen. */
type Task = (hand: Hand, page: Page) => Promise<void>;

/** The fields of a class: type and name. */
export const sixFields = [
  ['string', 'title'],
  ['integer', 'pages'],
  ['boolean', 'read'],
  ['datetime', 'bought'],
  ['file', 'cover'],
  ['geopoint', 'shop'],
] as const;

/** Ten rows. */
const csv = [
  'title,pages,stock',
  ...Array.from({ length: 10 }, (_, row) => `Row ${row},${200 + row},${row}`),
].join('\n');

const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

async function openBooks(hand: Hand, page: Page): Promise<void> {
  await hand.click(link(page, 'book'));
  await page.getByRole('grid').waitFor();
}

async function makeClass(hand: Hand, page: Page): Promise<void> {
  await hand.click(link(page, 'Classes'));
  await hand.click(link(page, 'New class'));
  await page.getByRole('heading', { level: 1, name: 'New class' }).waitFor();
  await hand.write(page.getByLabel('Name', { exact: true }), 'novel');
  const types = page.getByRole('group', { name: 'Add field' });
  for (const [type, name] of sixFields) {
    await hand.click(types.getByRole('button', { name: type, exact: true }));
    await hand.write(page.getByRole('group', { name: 'New field' }).getByLabel('Field name'), name);
  }
  await hand.click(button(page, 'Create class'));
  await hand.see(page.getByRole('heading', { level: 1, name: 'novel' }));
}

async function findObject(hand: Hand, page: Page): Promise<void> {
  await openBooks(hand, page);
  await hand.click(button(page, 'Filter'));
  await hand.write(page.getByLabel('Value'), 'Persuasion');
  await hand.press('Enter');
  await page.getByText('1 object', { exact: true }).waitFor();
  await hand.see(page.getByRole('gridcell', { name: 'Persuasion' }));
}

async function changeValue(hand: Hand, page: Page): Promise<void> {
  await openBooks(hand, page);
  const row = page.getByRole('row').filter({ hasText: 'Villette' });
  await hand.doubleClick(row.getByRole('gridcell', { name: '2', exact: true }));
  await hand.replace(row.getByRole('textbox'), '15');
  await hand.press('Enter');
  await hand.see(row.getByRole('gridcell', { name: '15', exact: true }));
}

async function deleteObject(hand: Hand, page: Page): Promise<void> {
  await openBooks(hand, page);
  const row = page.getByRole('row').filter({ hasText: 'Shirley' });
  await hand.click(row.getByRole('checkbox'));
  await hand.click(button(page, 'Delete'));
  await row.waitFor({ state: 'detached' });
  await hand.see(button(page, 'Undo'));
}

async function giveRight(hand: Hand, page: Page): Promise<void> {
  await hand.click(link(page, 'Users'));
  await hand.click(link(page, 'ada'));
  await hand.click(button(page, 'Add to group'));
  await hand.see(link(page, 'Readers'));
}

async function readFailure(hand: Hand, page: Page): Promise<void> {
  await hand.click(link(page, 'Script receipt failed'));
  await hand.see(page.getByText(/TypeError/).first());
}

async function runScript(hand: Hand, page: Page): Promise<void> {
  await hand.click(link(page, 'Scripts'));
  await hand.click(link(page, 'greet'));
  await hand.click(button(page, 'Run'));
  await hand.see(page.getByRole('region', { name: 'Output' }).getByText('hello, reader'));
}

async function createUser(hand: Hand, page: Page): Promise<void> {
  await hand.click(link(page, 'Users'));
  await hand.click(button(page, 'New user').first());
  await hand.write(page.getByLabel('Name', { exact: true }), 'edgar@example.com');
  await hand.write(page.getByLabel('Password'), 'first password');
  await hand.click(button(page, 'Create user'));
  await hand.see(page.getByRole('heading', { name: 'edgar@example.com', level: 1 }));
}

async function connect(hand: Hand, page: Page): Promise<void> {
  await hand.click(button(page, 'New API key'));
  await hand.click(button(page, 'Create API key'));
  await hand.see(page.getByText(/^curl .*\/classes\/book\//));
  await hand.click(button(page, 'Copy First request: curl'));
}

async function backUp(hand: Hand, page: Page): Promise<void> {
  await hand.click(link(page, 'Backups'));
  await hand.click(button(page, 'Back up now').first());
  await hand.click(button(page, 'Create'));
  await hand.see(page.getByRole('row').getByText('success'));
}

async function importRows(hand: Hand, page: Page): Promise<void> {
  await openBooks(hand, page);
  await hand.click(button(page, 'Import'));
  const file = { name: 'books.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) };
  const dialog = page.getByRole('dialog');
  await hand.attach(dialog.locator('input[type=file]'), file);
  await hand.see(dialog.getByText('10 rows.')); // of which it shows the first ones
  await hand.click(dialog.getByRole('button', { name: 'Import' }));
  await hand.see(page.getByText('10 objects imported.').first());
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
