import { openClient } from '../../../shared/clients/client.ts';
import { serviceAccount } from '../../support/push.ts';
import { scripts } from './shop-classes.ts';
import { owner, shop } from './shop-history.ts';

type Send = (method: string, path: string, body?: object) => Promise<Made>;

interface Made {
  readonly id: number;
  readonly status: string;
  readonly api_key: string;
}

/** Does in the running shop what screens show of today: code and its runs, keys, messages, devices, backups. */
export async function workToday(url: string): Promise<void> {
  const send = await logIn(url);
  await addScripts(send);
  await addEndpoints(send);
  await automate(send);
  await talk(send);
  await letIn(send);
  await addDevices(send);
  await backUp(send);
}

async function logIn(url: string): Promise<Send> {
  const path = '/v1.1/account/auth/';
  const account = await openClient(url)({ path, body: owner });
  const client = openClient(url, account.body.account_key);
  return async (method, below, body) => {
    const request = { method, path: `/v1.1/instances/${shop}/${below}`, ...(body && { body }) };
    return (await client(request)).body;
  };
}

async function addScripts(send: Send): Promise<void> {
  for (const [label, description, runtime_name, source] of scripts)
    await send('POST', 'snippets/scripts/', { label, description, runtime_name, source });
  const customer = { name: 'Grace' };
  const purchase = {
    books: [
      { title: 'Emma', price: 27.96 },
      { title: 'The Time Machine', price: 13.72 },
    ],
  };
  await run(send, 1, { name: 'Grace' });
  await run(send, 2, { purchase, customer });
  await run(send, 2, { purchase: {}, customer }); // fails: it has no books
  await run(send, 3, {});
  for (const name of ['Linus', 'Barbara']) await run(send, 1, { name });
}

/** Runs a script and waits for its end. */
async function run(send: Send, script: number, payload: object): Promise<void> {
  const { id } = await send('POST', `snippets/scripts/${script}/run/`, { payload });
  const trace = `snippets/scripts/${script}/traces/${id}/`;
  await untilEnded(() => send('GET', trace));
}

/** Statuses of runs and backups that have not ended. */
const active = ['pending', 'processing', 'scheduled', 'running', 'uploading'];

async function untilEnded(read: () => Promise<Made>): Promise<void> {
  for (;;) {
    const { status } = await read();
    if (!active.includes(status)) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function addEndpoints(send: Send): Promise<void> {
  const greet = { name: 'greet', description: 'A greeting for the app', script: 1, public: true };
  await send('POST', 'endpoints/scripts/', greet);
  await send('POST', 'endpoints/scripts/', { name: 'receipt', description: 'By mail', script: 2 });
  for (const name of ['Ada', 'Alan']) await send('POST', 'endpoints/scripts/greet/run/', { name });
  await send('POST', 'endpoints/data/', {
    name: 'cheap-novels',
    description: 'Novels below 10 EUR that are in stock',
    class: 'book',
    query: { genre: { _eq: 'novel' }, price: { _lt: 10 }, stock: { _gt: 0 } },
    order_by: 'price',
    page_size: 20,
  });
  await send('POST', 'snippets/templates/', {
    name: 'price-list',
    description: 'Books as a list to print',
    content_type: 'text/html',
    content: `<h1>{{ heading }}</h1>
<ul>
{% for book in response.objects %}
  <li>{{ book.title|e }}: {{ book.price }} EUR</li>
{% endfor %}
</ul>`,
    context: { heading: 'This week' },
  });
}

async function automate(send: Send): Promise<void> {
  await send('POST', 'triggers/', {
    label: 'prices',
    description: 'A book has changed',
    signal: 'post_update',
    class: 'book',
    script: 4,
  });
  await send('POST', 'schedules/', {
    label: 'nightly stock',
    description: 'Each night at two',
    crontab: '0 2 * * *',
    script: 3,
  });
  await send('PATCH', 'classes/book/objects/14/', { price: 25.5 });
  await send('PATCH', 'classes/book/objects/15/', { stock: 12 });
}

async function talk(send: Send): Promise<void> {
  const news = {
    name: 'news',
    description: 'What is new in the shop',
    other_permissions: 'publish',
  };
  await send('POST', 'channels/', { ...news, custom_publish: true });
  await send('POST', 'channels/', { name: 'orders', description: 'Live orders for the till' });
  for (const text of [
    'Orlando is back in stock',
    'Reading on Friday at seven, with tea',
    'All travel books are on sale until Sunday',
  ])
    await send('POST', 'channels/news/publish/', { payload: { text } });
}

async function letIn(send: Send): Promise<void> {
  await send('POST', 'api_keys/', { description: 'web shop', allow_user_create: true });
  await send('POST', 'api_keys/', { description: 'till', ignore_acl: true });
  await send('POST', 'api_keys/', { description: 'price screen', allow_anonymous_read: true });
  await send('POST', 'invitations/', { email: 'grace@example.com', role: 'write' });
  await send('PATCH', 'user_settings/', {
    email: 'optional',
    codes: true,
    redirects: ['https://books.example.com/welcome'],
  });
}

async function addDevices(send: Send): Promise<void> {
  const credentials = {
    development_api_key: serviceAccount,
    production_api_key: serviceAccount,
  };
  await send('PUT', 'push_notifications/gcm/config/', credentials);
  const gcm = 'push_notifications/gcm/';
  for (const [label, user] of [
    ['Pixel of Ada', 1],
    ['Tablet at the till', 2],
    ['Phone of Linus', 3],
  ]) {
    const registration_id = `device-of-user-${user}`;
    await send('POST', `${gcm}devices/`, { label, user, registration_id, is_active: user !== 3 });
  }
  await send('POST', `${gcm}messages/`, {
    content: {
      environment: 'development',
      registration_ids: ['device-of-user-1'],
      notification: { title: 'Your order is on its way', body: 'Two books, on Thursday' },
    },
  });
}

async function backUp(send: Send): Promise<void> {
  for (const [label, description] of [
    ['before the sale', 'Prices as they were'],
    ['weekly', ''],
  ]) {
    const { id } = await send('POST', 'backups/full/', { label, description });
    await untilEnded(() => send('GET', `backups/full/${id}/`));
  }
}
