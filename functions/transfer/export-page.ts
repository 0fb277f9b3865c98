import { compiledClass } from '../../shared/classes/compiled-classes.ts';
import { type Context, instanceOf, rowsOf } from '../../shared/core/family.ts';
import { queryValue } from '../../shared/core/http/message.ts';
import { type PageBody, readPage, roomyPageBody } from '../../shared/core/resource/page.ts';
import { orderingParameters, pageParameters } from '../../shared/core/resource/query-parameters.ts';
import type { QueryParameters } from '../../shared/core/routing/forms.ts';
import { showObject } from '../../shared/objects/show-object.ts';
import { readTogether } from '../../shared/store/entity.ts';
import { objectEntity } from '../../shared/table/entities/classes.ts';
import {
  deletedGroupsEntity,
  groupEntity,
  userEntity,
  userPasswordEntity,
} from '../../shared/table/entities/users.ts';
import type { GroupData, UserData } from '../../shared/table/records/records.ts';
import { invalid } from '../../shared/values/errors/errors.ts';
import { messages } from '../../shared/values/errors/messages.ts';
import type { JsonObject } from '../../shared/values/json/json.ts';
import { type TransferKind, transferKinds } from './fields.ts';
import { readClass } from './read-class.ts';

/** Parameters of an export, in addition to those of every request. */
export const exportParameters: QueryParameters = {
  kind: {
    type: 'string',
    description: 'What to export. The default is `groups`.',
    choices: transferKinds,
  },
  class: { type: 'string', description: 'The class whose `objects` to export.' },
  ...pageParameters,
  ...orderingParameters,
};

/**
 * Reads the page of records that a request asks for (docs/reference/transfer.md#export).
 *
 * @param path of the export, as links show it
 * @throws ApiError 400 for a bad parameter
 */
export async function readExport(context: Context, path: string): Promise<PageBody> {
  const { platform, caches, request } = context;
  const { store } = platform;
  const instance = instanceOf(context);
  const name = queryValue(request.query, 'class') ?? '';
  switch (kindOf(queryValue(request.query, 'kind') ?? 'groups')) {
    case 'groups': {
      const page = await readPage(context, path, (range) =>
        rowsOf(store, groupEntity, [instance], range),
      );
      const records = page.listItems.map(({ item: { data } }) => groupOf(data));
      return roomyPageBody(page, records);
    }
    case 'users': {
      const page = await readPage(context, path, (range) =>
        rowsOf(store, userEntity, [instance], range),
      );
      const users = page.listItems.map(({ item }) => item.data);
      return roomyPageBody(page, await usersOf(context, users));
    }
    case 'objects': {
      const classRecord = await readClass(context, name);
      const compiled = compiledClass(caches, classRecord);
      const page = await readPage(context, path, (range) =>
        rowsOf(store, objectEntity, [instance, classRecord.data.number], range),
      );
      const records = page.listItems.map(({ item }) => showObject(compiled, item.data));
      return roomyPageBody(page, records);
    }
  }
}

function kindOf(text: string): TransferKind {
  const kind = transferKinds.find((each) => each === text);
  if (kind === undefined) throw invalid({ kind: [messages.badChoice(text)] });
  return kind;
}

function groupOf({ id, name, label, description }: GroupData): JsonObject {
  return { id, name, label, description };
}

/** Returns users with their passwords, hashed, and the groups that exist. */
async function usersOf(context: Context, users: readonly UserData[]) {
  const instance = instanceOf(context);
  const { passwords, deleted } = await readTogether(context.platform.store, {
    passwords: users.map(({ id }) => userPasswordEntity.at(instance, id)),
    deleted: deletedGroupsEntity.at(instance),
  });
  const gone = deleted?.data.groups ?? [];
  return users.map(
    ({ id, username, isConfirmed = false, profile, groups, ...address }, at): JsonObject => ({
      id,
      username,
      password: passwords[at]?.data.hash ?? null,
      is_confirmed: isConfirmed,
      ...(address.email !== undefined && {
        email: address.email,
        is_email_confirmed: address.isEmailConfirmed === true,
      }),
      profile,
      groups: groups.filter((group) => !gone.includes(group)),
    }),
  );
}
