/** Members that many records have alike. Pages fold them, so that what differs is seen first. */
export const sharedMembers = [
  'created_at',
  'updated_at',
  'revision',
  'owner',
  'owner_permissions',
  'group',
  'group_permissions',
  'other_permissions',
  'channel',
  'channel_room',
  'expected_revision',
] as const;
