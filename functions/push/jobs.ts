import type { FamilyJobs } from '../../shared/core/family.ts';
import { closeApplication, syncEndpoints } from '../../shared/push/push-endpoints.ts';
import { sendPush } from '../../shared/push/push-send.ts';

/** Sends messages, and keeps the endpoints of the push service up to date. */
export const jobs: FamilyJobs = {
  types: [sendPush, syncEndpoints, closeApplication],
};
