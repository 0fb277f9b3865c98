import type { SendRequest } from '../../../shared/clients/client.ts';

/** Name of the instance. */
export const instance = 'library';
const base = `/v1.1/instances/${instance}/`;
const titles = ['Emma', 'Persuasion', 'Villette', 'Shirley', 'Kokoro', 'Botchan', 'Orlando'];
const bookCount = 60;

/** Stores what the tasks need: books that only readers see, a user, and a script that failed. */
export async function fillLibrary(send: SendRequest): Promise<void> {
  const create = (path: string, body: object) => send({ path: `${base}${path}`, body });
  await create('groups/', { label: 'Readers', name: 'readers' });
  await create('users/', { username: 'ada', password: 'first password' });
  await create('classes/', {
    name: 'book',
    group: 1,
    group_permissions: 'read',
    schema: [
      { name: 'title', type: 'string', filter_index: true, order_index: true },
      { name: 'pages', type: 'integer', filter_index: true },
      { name: 'stock', type: 'integer', filter_index: true },
      { name: 'read', type: 'boolean' },
    ],
  });
  for (let number = 0; number < bookCount; number += 1) {
    const title = titles[number] ?? `Volume ${number}`;
    const rights = { group: 1, group_permissions: 'read' };
    const book = { title, pages: 100 + number, stock: number, ...rights };
    await create('classes/book/objects/', book);
  }
  await addScripts(create);
}

/** Returns titles and stock of the books that a query finds, as the owner sees them. */
export async function findBooks(send: SendRequest, query: object): Promise<readonly Book[]> {
  const text = encodeURIComponent(JSON.stringify(query));
  const path = `${base}classes/book/objects/?page_size=100&query=${text}`;
  return (await send({ path })).body.objects;
}

interface Book {
  readonly title: string;
  readonly stock: number;
}

async function addScripts(create: (path: string, body: object) => Promise<unknown>): Promise<void> {
  const runtime_name = 'nodejs_v8';
  const greet = { label: 'greet', runtime_name, source: 'console.log("hello, reader");' };
  await create('snippets/scripts/', greet);
  const source = 'const order = ARGS.order;\nconsole.log(order.total);';
  await create('snippets/scripts/', { label: 'receipt', runtime_name, source });
  await create('snippets/scripts/2/run/', {});
}
