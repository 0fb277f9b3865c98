import type { Role } from '../../../values/access.ts';
import type { Keyed } from '../records.ts';

/* Data of items for invitations; their keys are in entities/. */

/** States of an invitation. */
export const invitationStates = ['new', 'declined', 'accepted'] as const;
export type InvitationState = (typeof invitationStates)[number];

/** Invitation of an e-mail address to an instance. Its key is derived, like all keys. */
export interface InvitationData extends Keyed {
  /** Unique in the deployment: an account sees those of all instances in one list. */
  readonly id: number;
  readonly email: string;
  readonly role: Role;
  /** E-mail of the account that invited. */
  readonly inviter: string;
  readonly state: InvitationState;
  readonly created_at: string;
  readonly updated_at: string;
}

/** The invitation of an instance to an e-mail, or the instance that has invited it. */
export interface InvitedData {
  readonly instance: number;
  readonly invitation: number;
}
