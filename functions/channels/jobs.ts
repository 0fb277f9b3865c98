import { clearChannel } from '../../shared/channels/clear-channel.ts';
import { publishEvents } from '../../shared/channels/publish-events.ts';
import { trimRoom } from '../../shared/channels/trim-room.ts';
import type { FamilyJobs } from '../../shared/core/family.ts';

/** Publishes messages of changed objects, and deletes what channels leave behind. */
export const jobs: FamilyJobs = {
  types: [clearChannel, trimRoom],
  consumers: [publishEvents],
  unorderedConsumers: [publishEvents],
};
