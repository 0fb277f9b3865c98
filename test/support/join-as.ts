import type { Role } from '../../shared/values/access.ts';
import { expected, type World } from './api.ts';

/**
 * Creates an account that joins the world's instance by an invitation.
 *
 * @returns the account's key
 */
export async function joinAs(world: World, role: Role): Promise<string> {
  const email = `${role}-of-${world.instance}@example.com`;
  const account = await world.account(email);
  const invitation = await world.call(world.owner, 'POST', 'invitations/', { email, role });
  const body = { invitation_key: expected(invitation, 201).key };
  const path = '/v1.1/account/invitations/accept/';
  expected(await world.api.send({ as: account, path, body }), 204);
  return account;
}
