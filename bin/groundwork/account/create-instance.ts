import { at } from '../../../shared/values/text/request-path.ts';
import type { InstanceConnection } from '../settings.ts';

/** Creates an instance, unless it exists. Returns whether it is new. */
export async function createIfMissing({
  send,
  base,
  instance,
}: Pick<InstanceConnection, 'send' | 'base' | 'instance'>): Promise<boolean> {
  const { status } = await send({ path: base, expect: [200, 404] });
  if (status === 200) return false;
  await send({ path: at`/v1.1/instances/`, body: { name: instance } });
  return true;
}
