import type { Key, Stored } from '../store/store.ts';
import {
  changeOfChannelEvent,
  channelEventEntity,
  classEntity,
  fileEntity,
  idIn,
  objectEntity,
  placeOfEvent,
  placeOfObject,
  scriptEntity,
  triggerEventEntity,
} from '../table/entities.ts';
import type { LetterItem } from '../table/records/jobs.ts';

/** A change of an item. */
interface Changed {
  readonly key: Key;
  readonly kind: string;
  readonly before?: Stored | undefined;
  readonly after?: Stored | undefined;
}

/** Describes the changed item in words of the interface; an event stands for the change of its object. */
export function describeItem(
  { key, kind, before, after }: Changed,
  action: LetterItem['action'],
): LetterItem {
  switch (kind) {
    case objectEntity.kind:
      return { item: 'object', action, itemId: idIn(key), ...classAt(key) };
    case fileEntity.kind:
      return { item: 'file', action, ...classAt(key) };
    case triggerEventEntity.kind:
      return { item: 'object', action, itemId: placeOfEvent(key).object, ...triggerEvent(after) };
    case channelEventEntity.kind: {
      const { classNumber, object, ...change } = changeOfChannelEvent(key);
      return { item: 'object', action: actionIn(change.action), itemId: object, classNumber };
    }
    case classEntity.kind:
      return { item: 'class', action, ...nameOf(after ?? before) };
    case scriptEntity.kind:
      return { item: 'script', action, itemId: idIn(key) };
    default:
      return { item: 'other', action };
  }
}

function classAt(key: Key): Pick<LetterItem, 'classNumber'> {
  return { classNumber: placeOfObject(key).classNumber };
}

function nameOf(item: Stored | undefined): Pick<LetterItem, 'className'> {
  if (item === undefined || !classEntity.matches(item)) return {};
  const { name } = item.data as Partial<typeof item.data>; // or only a size
  return name === undefined ? {} : { className: name };
}

/** Returns what the data of a trigger event hold, where the consumer got them. */
function triggerEvent(event: Stored | undefined): Partial<LetterItem> {
  if (event === undefined || !triggerEventEntity.matches(event)) return {};
  const { class: className, action } = event.data as Partial<typeof event.data>; // or only a size
  return { ...(className && { className }), ...(action && { action: actionIn(action) }) };
}

function actionIn(text: string): LetterItem['action'] {
  return text === 'create' || text === 'delete' ? text : 'update';
}
