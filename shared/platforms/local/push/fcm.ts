import * as v from 'valibot';
import { PushFailure, type PushFailureReason } from '../../../push/push-failure.ts';
import type { ProviderPush } from '../../../push/rules/payload.ts';
import type { PushRequest, PushResponse } from './connections/stream.ts';

/** Returns the request for a push by FCM HTTP v1. */
export function fcmRequest(
  { project, accessToken }: { readonly project: string; readonly accessToken: string },
  token: string,
  { payload }: ProviderPush,
): PushRequest {
  const { fcmV1Message } = JSON.parse(payload); // made by `providerPush`
  const { validate_only, message } = fcmV1Message;
  return {
    path: `/v1/projects/${encodeURIComponent(project)}/messages:send`,
    headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ validate_only, message: { ...message, token } }),
  };
}

const sentSchema = v.object({ name: v.pipe(v.string(), v.regex(/^[!-~]{1,256}$/)) });

const errorSchema = v.object({
  error: v.object({
    message: v.optional(v.string(), ''),
    status: v.optional(v.string(), ''),
    details: v.optional(
      v.array(
        v.object({
          errorCode: v.optional(v.string()),
          fieldViolations: v.optional(v.array(v.object({ field: v.optional(v.string()) }))),
        }),
      ),
      [],
    ),
  }),
});

type FcmError = v.InferOutput<typeof errorSchema>['error'];

const noError: FcmError = { message: '', status: '', details: [] };

/** Returns FCM's id of a push that was accepted; `otherwise` when it cannot be read. */
export function fcmId({ body }: PushResponse, otherwise: string): string {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), sentSchema), body);
  return parsed.success ? parsed.output.name : otherwise;
}

const reasons: Readonly<Record<string, PushFailureReason>> = {
  UNREGISTERED: 'disabled',
  SENDER_ID_MISMATCH: 'otherApp',
  QUOTA_EXCEEDED: 'busy',
  UNAVAILABLE: 'busy',
  INTERNAL: 'busy',
  THIRD_PARTY_AUTH_ERROR: 'badCredential',
};

const statuses: Readonly<Record<number, PushFailureReason>> = {
  401: 'badCredential',
  403: 'badCredential',
  429: 'busy',
  500: 'busy',
  503: 'busy',
};

/** Returns the failure that a response of FCM means. */
export function fcmFailure({ status, body }: PushResponse, afterMs: number | undefined) {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), errorSchema), body);
  const error = parsed.success ? parsed.output.error : noError;
  const code = error.details.find(({ errorCode = '' }) =>
    Object.hasOwn(reasons, errorCode),
  )?.errorCode;
  const known = code === undefined ? undefined : reasons[code];
  const reason = known ?? statuses[status] ?? otherReason(status, error);
  return new PushFailure(reason, code ?? `status ${status}`, afterMs);
}

/** Returns the reason of a response without a known code. A server error may hide that the push was sent. */
function otherReason(status: number, { message, details }: FcmError): PushFailureReason {
  if (status >= 500 || status < 400) return 'unknown';
  if (status !== 400) return 'denied';
  const fields = details.flatMap(({ fieldViolations = [] }) => fieldViolations);
  const isToken = fields.some(({ field }) => field === 'message.token');
  // the only sign of a token that is none, where FCM names no field
  return isToken || /registration token/i.test(message) ? 'badToken' : 'badPush';
}
