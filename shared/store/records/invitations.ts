import type { Role } from '../../values/access.ts';
import type { Keyed } from './records.ts';

/*
 * What the items hold that are about invitations; their keys are in entities.ts.
 */

/** What became of an invitation. */
export type InvitationState = 'new' | 'declined' | 'accepted';

/** That an e-mail address is asked to join an instance. Its key is derived, like all keys. */
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

/** Which invitation of an instance is addressed to an e-mail, or which instance has invited it. */
export interface InvitedData {
  readonly instance: number;
  readonly invitation: number;
}
