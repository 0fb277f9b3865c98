import { describe, expect, it } from 'vitest';
import { describeItem } from '../../shared/jobs/letter-item.ts';
import type { Key } from '../../shared/store/store.ts';
import { contentsOf } from '../../shared/table/data-ids.ts';
import { accountEntity } from '../../shared/table/entities/accounts.ts';
import { channelEventEntity } from '../../shared/table/entities/channels.ts';
import { classEntity, fileEntity, objectEntity } from '../../shared/table/entities/classes.ts';
import { jobEntity } from '../../shared/table/entities/jobs.ts';
import { scriptEntity, triggerEventEntity } from '../../shared/table/entities/scripts.ts';
import { userEntity } from '../../shared/table/entities/users.ts';

/* What an instance sees of the changed item of a dead letter. */

const item = ({ kind }: { readonly kind: string }, key: Key, data: object) => ({
  key,
  kind,
  after: { key, kind, version: 'a', data },
});
const event = { id: 9, revision: 2, action: 'delete' } as const;

describe('the changed item of a dead letter', () => {
  it.each([
    [
      'an object',
      item(objectEntity, objectEntity.key(7, 3, 9), {}),
      { item: 'object', action: 'update', itemId: 9, classNumber: 3 },
    ],
    [
      'a file',
      item(fileEntity, fileEntity.key(7, 3, 'public/7/3/ab'), {}),
      { item: 'file', action: 'update', classNumber: 3 },
    ],
    [
      'a change that triggers wait for',
      item(triggerEventEntity, triggerEventEntity.key(7, 9, '2#0'), {
        class: 'book',
        action: 'create',
      }),
      { item: 'object', action: 'create', itemId: 9, className: 'book' },
    ],
    [
      'such a change of which the size is known',
      item(triggerEventEntity, triggerEventEntity.key(7, 9, '2#0'), { bytes: 5 }),
      { item: 'object', action: 'update', itemId: 9 },
    ],
    [
      'a change that is to be published',
      item(channelEventEntity, channelEventEntity.key(7, 3, event), {}),
      { item: 'object', action: 'delete', itemId: 9, classNumber: 3 },
    ],
    [
      'a class',
      item(classEntity, classEntity.key(7, 'book'), { name: 'book' }),
      { item: 'class', action: 'update', className: 'book' },
    ],
    [
      'a script',
      item(scriptEntity, scriptEntity.key(7, 4), {}),
      { item: 'script', action: 'update', itemId: 4 },
    ],
    [
      'anything else',
      item(userEntity, userEntity.key(7, 4), {}),
      { item: 'other', action: 'update' },
    ],
  ])('%s', (_, change, shown) => {
    expect(describeItem(change, 'update')).toEqual(shown);
  });

  it('belongs to an instance only if its partition does', () => {
    const keys = [objectEntity.key(7, 3, 9), accountEntity.key(7), jobEntity.key(7, 1, 'a', 'b')];

    expect(keys.map(contentsOf)).toEqual([7, undefined, undefined]);
  });
});
