import { storeDeadLetter } from '../../shared/jobs/change-feed.ts';
import { triggerEventEntity } from '../../shared/table/entities/scripts.ts';
import type { Api } from './api.ts';
import { instanceId } from './stored-records.ts';

/** What a planted dead letter holds. */
interface PlantedLetter {
  /** Name of the consumer; `triggers` when absent. */
  readonly consumer?: string;
  readonly error?: string;
  /** Id of the changed object of class `book`; 1 when absent. */
  readonly object?: number;
  /** Arguments of the run; small when absent. */
  readonly args?: object;
  /** Ids of the triggers that wait for the change; 1 when absent. */
  readonly triggers?: readonly number[];
}

let planted = 0;

/**
 * Stores a dead letter of the change of an object, as a consumer does that fails to process it.
 *
 * @param of name or id of the instance
 */
export async function plantDeadLetter(
  { platform }: Pick<Api, 'platform'>,
  of: string | number,
  letter: PlantedLetter = {},
): Promise<void> {
  const { consumer = 'triggers', error = 'not now', object = 1, triggers = [1] } = letter;
  const instance = typeof of === 'string' ? await instanceId(platform.store, of) : of;
  planted += 1;
  const key = triggerEventEntity.key(instance, object, `${planted}`);
  const args = { value: letter.args ?? { id: object } };
  const data = { class: 'book', action: 'update', triggers, args, changes: [], depth: 0 };
  const { kind } = triggerEventEntity;
  const change = {
    key,
    kind,
    after: { key, kind, version: 'a', data },
    change: { actor: {}, cause: 'client', depth: 0 },
    position: '',
  } as const;
  const services = { ...platform, log: () => undefined }; // tests fail for lines of errors
  await storeDeadLetter(services, { change, consumer, error: new Error(error) });
}
