import { classOf } from '../classes/class-record.ts';
import type { Response } from '../core/http/message.ts';
import { instanceOf, reservedId } from '../core/resource/context-values.ts';
import { inputOf } from '../core/resource/input.ts';
import { linkPath } from '../core/resource/links.ts';
import type { Context, RequestPart } from '../core/routing/route.ts';
import { createObjects } from './create-object.ts';
import { withItsAddresses } from './files/private-files.ts';
import { objectFields } from './object-fields.ts';
import { objectInput } from './object-input.ts';
import { saveCallIn } from './save-call.ts';
import { objectBodies } from './show-object.ts';

/** Responds to requests that create objects of one class, together: one transaction costs less than one for each. */
export function createObjectGroup(
  context: Context,
  all: readonly RequestPart[],
): readonly Promise<Response>[] {
  const { route } = context;
  const classRecord = classOf(context);
  const created = all.map(({ body, reserved }) => {
    const input = inputOf(objectFields, body, 'create');
    return { id: reservedId({ route, reserved }), parse: () => objectInput(input) };
  });
  const show = objectBodies(context, classRecord, linkPath(context, route.paths));
  const call = saveCallIn(context, instanceOf(context), classRecord);
  return createObjects(call, created).map(async (creating) => {
    const object = await withItsAddresses(context, classRecord, await creating);
    return { status: 201, body: show(object) };
  });
}
