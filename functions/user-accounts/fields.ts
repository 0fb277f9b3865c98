import { computed, defineFields } from '../../shared/core/family.ts';
import { sessionProofs } from '../../shared/table/records/user-accounts.ts';

/** Fields of a session (docs/reference/user-accounts.md#sessions). */
export const sessionFields = defineFields({
  id: computed('integer'),
  proof: computed('choice', { choices: sessionProofs }),
  provider: computed('string', { nullable: true }),
  created_at: computed('datetime'),
  used_at: computed('datetime'),
  ends_at: computed('datetime'),
  is_current: computed('boolean'),
});
