import { type Api, expected, startApi } from '../../support/api.ts';
import { openMovedClock } from '../../support/moved-clock.ts';
import { instanceId } from '../../support/stored-records.ts';
import { authors, editions, reviews, shops, titles, users } from './books.ts';
import { drawCover } from './covers.ts';
import { classes } from './shop-classes.ts';

/** Name of the instance. */
export const shop = 'book-shop';
/** The account of the owner. */
export const owner = { email: 'ada@example.com', password: 'a password of words' } as const;

const day = 86_400;
const days = 13;
const books = 200;

/** Sends a request to the instance as its owner. */
type Send = (path: string, body: object) => Promise<{ readonly id: number }>;

/** Stores what the shop did on the days before today in a data folder. */
export async function writeHistory(folder: string): Promise<void> {
  const start = new Date(Date.now() - days * day * 1000).toISOString();
  const clock = openMovedClock(start);
  const api = await startApi({ folder, clock, settings: { passwordCost: 10 } });
  const send = await openShop(api);
  for (const body of classes) await send('classes/', body);
  await stockShelves(send);
  await addPeople(send);
  const instance = await instanceId(api.platform.store, shop);
  for (let hour = 0; hour < days * 24 - 1; hour += 1) {
    clock.forward(3600);
    const customers = countCustomers(new Date(clock.micros() / 1000).getUTCHours(), hour);
    await sell(send, hour, customers);
    for (let turn = 0; turn < customers * 9; turn += 1) api.platform.meter.countRequest(instance);
    for (let turn = 0; turn < customers; turn += 1)
      api.platform.meter.countRun(instance, 180 + ((turn * 70) % 400));
    await api.platform.meter.flush();
  }
  await api.platform.idle();
  await api.close();
}

async function openShop(api: Api): Promise<Send> {
  const body = { ...owner, first_name: 'Ada', last_name: 'Lovelace' };
  const registered = await api.send({ path: '/v1.1/account/register/', body });
  const as: string = expected(registered, 201).account_key;
  for (const [name, description] of [
    [shop, 'Catalogue, orders and reviews of the shop'],
    ['reading-club', 'Meetings and lists of the club'],
  ]) {
    const instance = { name, description };
    expected(await api.send({ as, path: '/v1.1/instances/', body: instance }), 201);
  }
  const base = `/v1.1/instances/${shop}/`;
  return async (path, sent) => {
    const method = 'POST';
    return expected(await api.send({ as, method, path: `${base}${path}`, body: sent }), 201);
  };
}

async function stockShelves(send: Send): Promise<void> {
  for (const [name, country, born] of authors)
    await send('classes/author/objects/', { name, country, born });
  for (const [name, latitude, longitude] of shops) {
    const place = { latitude, longitude };
    const opens = { weekdays: '9:00-18:00', saturday: '10:00-14:00' };
    await send('classes/shop/objects/', { name, place, opens });
  }
  for (let number = 0; number < books; number += 1) await addBook(send, number);
}

/** Adds a book: all titles in one edition, then all in the next one. */
async function addBook(send: Send, number: number): Promise<void> {
  const at = number % titles.length;
  const [title, name, year, pages, genre] = titles[at] ?? titles[0];
  const [edition, share] = editions[Math.floor(number / titles.length)] ?? editions[0];
  const form = new FormData();
  const fields = {
    title,
    author: authors.findIndex(([each]) => each === name) + 1,
    price: Math.round((9 + pages / 25) * share * 100) / 100,
    stock: (number * 37) % 120,
    edition,
    genre,
    published: `${year}-0${(at % 9) + 1}-1${at % 10}T00:00:00.000000Z`,
    on_sale: number % 5 === 0,
    isbn: `978-0-00-${String(100_000 + number * 7)}-${number % 10}`,
    other_permissions: 'read',
  };
  for (const [field, value] of Object.entries(fields)) form.set(field, String(value));
  const cover = new Uint8Array(await drawCover(title, name, at));
  form.set('cover', new Blob([cover], { type: 'image/png' }), `cover-${at + 1}.png`);
  await send('classes/book/objects/', form);
}

async function addPeople(send: Send): Promise<void> {
  for (const [label, description] of [
    ['Staff', 'Works in a shop'],
    ['Buyers', 'Orders new books'],
    ['Readers', 'Writes reviews'],
  ]) {
    const name = label?.toLowerCase();
    await send('groups/', { label, description, name });
  }
  for (const [username, groups] of users) {
    const { id } = await send('users/', { username, password: `${username} reads`, profile: {} });
    for (const group of groups) {
      await send(`users/${id}/groups/`, {
        group: ['staff', 'buyers', 'readers'].indexOf(group) + 1,
      });
    }
  }
}

/** Returns how many customers come in an hour: most in the afternoon, few at night. */
function countCustomers(hourOfDay: number, turn: number): number {
  const share = Math.max(0, Math.sin(((hourOfDay - 6) / 16) * Math.PI));
  return Math.round(share * (10 + ((turn * 7) % 5)));
}

/** Sells some books, and now and then has a review. */
async function sell(send: Send, turn: number, customers: number): Promise<void> {
  for (let number = turn * 10; number < turn * 10 + Math.min(customers, 2); number += 1) {
    await send('classes/purchase/objects/', {
      number: `P-${String(number).padStart(5, '0')}`,
      books: [14 + (number % books), 14 + ((number * 3) % books)],
      shop: 11 + (number % shops.length),
      total: 12 + ((number * 13) % 70) + 0.5,
      status: ['paid', 'sent', 'sent', 'delivered'][number % 4],
    });
  }
  const [stars, text] = reviews[turn % reviews.length] ?? reviews[0];
  if (customers > 9)
    await send('classes/review/objects/', { book: 14 + (turn % books), stars, text });
}
