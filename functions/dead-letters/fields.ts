import { computed, defineFields } from '../../shared/core/family.ts';

/** Fields of a dead letter (docs/reference/dead-letters.md#record). */
export const deadLetterFields = defineFields({
  id: computed('integer'),
  consumer: computed('string'),
  status: computed('choice', { choices: ['failed', 'replaying'] }),
  error: computed('string'),
  item: computed('choice', { choices: ['object', 'file', 'class', 'script', 'other'] }),
  action: computed('choice', { choices: ['create', 'update', 'delete'] }),
  class: computed('string', { nullable: true }),
  item_id: computed('integer', { nullable: true }),
  created_at: computed('datetime'),
});
