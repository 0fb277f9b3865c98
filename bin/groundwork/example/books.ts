import { createClient } from './groundwork.ts'; // groundwork types writes it

const db = createClient({
  url: process.env.GROUNDWORK_URL ?? '',
  instance: process.env.GROUNDWORK_INSTANCE ?? '',
  apiKey: process.env.GROUNDWORK_ACCOUNT_KEY ?? '', // an API key in an app
});

await db.book.create({ title: 'Little Women', year: 1868 });
await db.book.create({ title: 'Good Wives', year: 1869 });
await db.book.create({ title: 'Work', year: 1873 });

const { objects } = await db.book.list({ where: { year: { _lt: 1870 } }, orderBy: '-year' });
for (const { title, year } of objects) console.log(`${title}, ${year}`);
