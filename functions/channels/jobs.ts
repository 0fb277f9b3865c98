import { clearChannel } from '../../shared/channels/clear-channel.ts';
import { trimRoom } from '../../shared/channels/trim-room.ts';
import type { FamilyJobs } from '../../shared/core/resource/route.ts';

/** Deletes what channels leave behind. */
export const jobs: FamilyJobs = {
  types: [clearChannel, trimRoom],
};
