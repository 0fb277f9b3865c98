import { showAccount } from '../../shared/accounts/accounts.ts';
import { accountKey } from '../../shared/accounts/keys.ts';
import type { Context } from '../../shared/core/family.ts';
import type { Response } from '../../shared/core/http/message.ts';
import type { AccountData } from '../../shared/table/records/records.ts';
import type { JsonObject } from '../../shared/values/json/json.ts';

/** Returns an account and its key: after registration, log-in and a reset, never on a GET. */
export async function withKey(
  context: Context,
  status: number,
  data: AccountData,
  metadata: JsonObject,
): Promise<Response> {
  return { status, body: await bodyWithKey(context, data, metadata) };
}

/** Returns an account and its key as responses show them. */
export async function bodyWithKey(
  { platform }: Context,
  data: AccountData,
  metadata: JsonObject,
): Promise<JsonObject> {
  return { ...showAccount(data, metadata), account_key: await accountKey(platform.secrets, data) };
}
