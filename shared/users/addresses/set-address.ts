import { instanceOf } from '../../core/resource/context-values.ts';
import { defineFields, flagField } from '../../core/resource/field.ts';
import { type Input, readInput, validValues } from '../../core/resource/input.ts';
import type { Fields } from '../../core/routing/forms.ts';
import type { Stored, Write } from '../../store/store.ts';
import type { UserData } from '../../table/records/records.ts';
import { hasFullRole } from '../../values/access.ts';
import { invalid } from '../../values/errors/errors.ts';
import { messages } from '../../values/errors/messages.ts';
import { userSettingsOf } from '../settings/user-settings.ts';
import type { UserContext } from '../show-user.ts';
import { addressCreate, addressDeletes, addressField } from './user-address.ts';

/** Fields by which administrators change the address of a user (docs/reference/user-accounts.md#addresses-of-users). */
const addressFields = defineFields({
  email: { ...addressField(), required: false, nullable: true, writable: 'update' },
  is_email_confirmed: { ...flagField(), writable: 'update' },
});

/** Checks whether a request may change addresses of users. */
function mayChangeAddress(context: UserContext): boolean {
  return context.actor.kind === 'admin' && userSettingsOf(context).email !== 'off';
}

/**
 * Returns the change of a user's address that a body of an administrator has; undefined: none.
 *
 * @throws ApiError 400 for a bad address, or a confirmation by a role below `full`
 */
export function addressChange(
  context: UserContext,
  current: Stored<UserData>,
  { body }: Pick<Input<Fields, 'patch'>, 'body'>,
) {
  if (!mayChangeAddress(context)) return undefined;
  const sent = validValues(readInput(addressFields, body, 'patch'));
  const { email: before, isEmailConfirmed: wasConfirmed = false, ...others } = current.data;
  const email = sent.email === undefined ? before : (sent.email ?? undefined);
  const isSame = email === before;
  const isConfirmed = sent.is_email_confirmed ?? (isSame && wasConfirmed);
  if (isSame && isConfirmed === wasConfirmed) return undefined;
  checkConfirmation(context, isConfirmed, email);
  const instance = instanceOf(context);
  const created = isSame || email === undefined ? [] : [addressCreate(instance, email, others.id)];
  const data: UserData = {
    ...others,
    ...(email !== undefined && { email }),
    ...(isConfirmed && { isEmailConfirmed: true }),
  };
  const conflictError = (write: Write) =>
    created.some((each) => each === write) ? invalid({ email: [messages.unique] }) : undefined;
  const change = { writes: created, endsPassword: false, conflictError };
  if (isSame) return { ...change, data };
  const writes = [...created, ...addressDeletes(instance, current.data)];
  return { ...change, data: { ...data, passwordAt: context.platform.clock.micros() }, writes };
}

function checkConfirmation(
  { actor }: UserContext,
  isConfirmed: boolean,
  email: string | undefined,
): void {
  if (!isConfirmed || (email !== undefined && hasFullRole(actor))) return;
  throw invalid({ is_email_confirmed: ['Only an address is confirmed, and by the role full.'] });
}
