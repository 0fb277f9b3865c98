import type { Services } from '../../jobs/change-feed.ts';
import type { DeadLetter, DeadLetterRequest } from '../../jobs/dead-letters.ts';
import { maintain } from '../../jobs/maintain.ts';
import type { Store, Stored } from '../../store/store.ts';
import { deleteItem } from '../../store/writes.ts';
import { queuedMailEntity } from '../../table/entities/deployment.ts';
import type { QueuedMailData } from '../../table/records/mails.ts';
import { sendMailName } from './queued-mail.ts';
import { queueMail } from './send-mail.ts';

/** Lists the mails that failed, and those that may have arrived, as dead letters of an operator. */
export async function listMailLetters(store: Pick<Store, 'query'>): Promise<readonly DeadLetter[]> {
  return (await readEnded(store)).map((item) => {
    const { state, to, about, error = '', updated_at } = item.data;
    return {
      id: idOf(item),
      kind: 'mail',
      consumer: sendMailName.name,
      at: updated_at,
      error: `${state}: ${error}`,
      item: `${about.purpose} to ${to}`,
    };
  });
}

/**
 * Sends such a mail again, or deletes its record.
 *
 * @throws Error when there is none with this id
 */
export async function handleMailLetter(
  services: Services,
  { action, id }: Pick<DeadLetterRequest, 'action' | 'id'>,
): Promise<void> {
  const item = (await readEnded(services.store)).find((each) => idOf(each) === id);
  if (item === undefined) throw new Error(`there is no dead letter ${id}`);
  if (action === 'drop') await maintain(services, [deleteItem(item)]);
  else await queueMail(services, item.data.about, item.data.to);
}

async function readEnded(store: Pick<Store, 'query'>): Promise<readonly Stored<QueuedMailData>[]> {
  const all = await queuedMailEntity.listAll(store, []);
  return all.filter(({ data: { state } }) => state === 'failed' || state === 'unconfirmed');
}

/** Returns an id that a shell takes as it is. */
function idOf({ key }: Stored<QueuedMailData>): string {
  return `mail.${key.sk.replaceAll('#', '.')}`;
}
