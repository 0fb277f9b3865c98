import {
  at,
  below,
  checkPath,
  type RequestPath,
  withQuery,
} from '../../values/text/request-path.ts';
import type { ClassObjects, ListOptions, ListPage, ObjectList } from './interface.ts';
import { GroundworkError, replyOf, type Send } from './requests.ts';

/** Returns the objects of a class. */
export function collectionOf<Item, Input, Update, Query, Order extends string>(
  send: Send,
  className: string,
): ClassObjects<Item, Input, Update, Query, Order> {
  const path = at`classes/${className}/objects/`;
  return {
    ...listOf<Item, Input, Query, Order>(send, { list: path, create: path, className }),
    get: async (id) => (await send(below(path)`${id}/`)).body as Item, // here and below: as the class declares it
    update: async (id, changes) => {
      const body = await withUploads(send, className, changes);
      return (await send(below(path)`${id}/`, { method: 'PATCH', body })).body as Item;
    },
    delete: async (id) => {
      await send(below(path)`${id}/`, { method: 'DELETE' });
    },
    upload: (file, filename) => upload(send, className, { file, filename }),
  };
}

/** Returns a list of the objects of a class. */
export function listOf<Item, Input, Query, Order extends string>(
  send: Send,
  { list, create, className }: { list: RequestPath; create: RequestPath; className: string },
): ObjectList<Item, Input, Query, Order> {
  async function page<Field extends keyof Item>(
    path: RequestPath,
  ): Promise<ListPage<Pick<Item, Field>>> {
    const body = (await send(path)).body as {
      readonly objects: readonly Pick<Item, Field>[];
      readonly next: string | null;
      readonly objects_count?: number;
    }; // as the server describes lists
    const { objects, next, objects_count: count } = body;
    return { objects, count, ...(next !== null && { next: () => page<Field>(checkPath(next)) }) };
  }
  return {
    list: (options = {}) => page(withQuery(list, parametersOf(options))),
    async *all<Field extends keyof Item>(options: ListOptions<Query, Order, Field> = {}) {
      let current: ListPage<Pick<Item, Field>> | undefined = await page(
        withQuery(list, parametersOf(options)),
      );
      while (current !== undefined) {
        yield* current.objects;
        current = await current.next?.();
      }
    },
    create: async (input) => {
      const body = await withUploads(send, className, input);
      return (await send(create, { method: 'POST', body })).body as Item;
    },
  };
}

function parametersOf<Query, Order extends string, Field>(
  options: ListOptions<Query, Order, Field>,
) {
  const { where, orderBy, pageSize, fields, count } = options;
  return {
    query: where && JSON.stringify(where),
    order_by: orderBy,
    page_size: pageSize,
    fields: fields?.join(','),
    include_count: count,
  };
}

/** Uploads the files among the values of an object, and replaces them with their names. */
async function withUploads(send: Send, className: string, values: unknown): Promise<object> {
  const entries = Object.entries(values as object).map(async ([name, value]) => [
    name,
    value instanceof Blob ? await upload(send, className, { file: value }) : value,
  ]);
  return Object.fromEntries(await Promise.all(entries)) as object;
}

async function upload(
  send: Send,
  className: string,
  { file, filename }: { file: Blob; filename?: string | undefined },
): Promise<string> {
  const ownName = 'name' in file ? String(file.name) : undefined; // of a File
  const request = { filename: filename ?? ownName, content_type: file.type || undefined };
  const path = at`classes/${className}/uploads/`;
  const opened = (await send(path, { method: 'POST', body: request })).body as {
    readonly url: string;
    readonly fields: Readonly<Record<string, string>>;
    readonly file: string;
  }; // as the server describes it
  const form = new FormData();
  for (const [name, value] of Object.entries(opened.fields)) form.append(name, value);
  form.append('file', file);
  const response = await fetch(opened.url, { method: 'POST', body: form });
  if (!response.ok) throw new GroundworkError('upload of a file', await replyOf(response));
  return opened.file;
}
