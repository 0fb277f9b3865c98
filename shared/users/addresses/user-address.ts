import * as v from 'valibot';
import { emailField } from '../../core/resource/field.ts';
import type { Delete, Key, Put, Store, Stored } from '../../store/store.ts';
import { createItem, deleteIfExists } from '../../store/writes.ts';
import { userAddressEntity } from '../../table/entities/user-accounts.ts';
import { userEntity } from '../../table/entities/users.ts';
import { encodeText } from '../../table/index-keys.ts';
import type { UserData } from '../../table/records/records.ts';
import { messages } from '../../values/errors/messages.ts';
import { characterCount, read, reject } from '../../values/scalars.ts';
import { email, schemaOf, withAsciiDomain } from '../../values/values.ts';

const max = 254;
const address = email({ max });

/**
 * Describes the address of a user: in lower case, with a domain as the DNS has it, so that a look-alike in other letters
 * shows as one.
 */
export function addressField() {
  return {
    ...emailField(),
    input: schemaOf((input) => {
      const reading = v.safeParse(address, input);
      if (!reading.success) return reject(...reading.issues.map(({ message }) => message));
      const ascii = withAsciiDomain(reading.output);
      return characterCount(ascii) > max ? reject(messages.maxLength(max)) : read(ascii);
    }),
  };
}

/** Returns where the user of an address is found. */
export function userAddressAt(instance: number, text: string) {
  return userAddressEntity.at(instance, encodeText(text));
}

/** Returns the write that gives an address to a user. It fails where another has it. */
export function addressCreate(instance: number, text: string, user: number): Put {
  return createItem(userAddressEntity, addressKey(instance, text), { user });
}

/** Returns the deletes of the address of a user, if it has one. */
export function addressDeletes(instance: number, { email: text }: UserData): readonly Delete[] {
  return text === undefined ? [] : [deleteIfExists(addressKey(instance, text))];
}

/** Finds the user that has an address. */
export async function findUserByAddress(
  store: Store,
  instance: number,
  text: string,
): Promise<Stored<UserData> | undefined> {
  const found = await userAddressEntity.read(store, instance, encodeText(text));
  const user = found && (await userEntity.read(store, instance, found.data.user));
  return user?.data.email === text ? user : undefined;
}

function addressKey(instance: number, text: string): Key {
  return userAddressEntity.key(instance, encodeText(text));
}
