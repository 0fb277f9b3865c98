import { type Context, instanceOf } from '../../../shared/core/family.ts';
import { findCredential } from '../../../shared/push/push-config.ts';
import { readPrivateKey } from '../../../shared/push/rules/private-key.ts';
import type { PushEnvironment } from '../../../shared/push/rules/provider.ts';
import type { PushSideData } from '../../../shared/table/records/push.ts';
import { invalid } from '../../../shared/values/errors/errors.ts';
import { messages } from '../../../shared/values/errors/messages.ts';
import type { SideChange } from './config-save.ts';

/** Values of a body for the token of one environment. */
export interface SentToken {
  readonly token_key: string | null | undefined;
  readonly key_id: string | null | undefined;
  readonly team_id: string | null | undefined;
}

/** Returns the token that a body sends, or renews with another id or bundle; null: it is deleted. */
export async function tokenOf(
  context: Context,
  environment: PushEnvironment,
  {
    sent,
    side,
    bundle,
  }: { readonly sent: SentToken; readonly side: PushSideData; readonly bundle: string | null },
): Promise<SideChange['credential']> {
  const stored = side.credential?.kind === 'token' ? side.credential : undefined;
  if (sent.token_key === null || sent.token_key === '') return stored && null;
  const isNew = sent.token_key !== undefined && sent.token_key !== stored?.shown;
  const { keyId, teamId } = idsOf(sent, stored ?? null);
  const isSame = isSameToken({ keyId, teamId, bundle }, stored, side);
  if (!isNew && isSame) return undefined;
  checkPresent(environment, { key_id: keyId, team_id: teamId, bundle_identifier: bundle });
  const field = `${environment}_token_key`;
  const key = isNew
    ? checkedKey(field, sent.token_key ?? '')
    : await storedKey(context, { environment, field }, side);
  const secret = { kind: 'token', key, keyId, teamId, bundle: bundle ?? '' } as const;
  return { secret, shown: `token_key:${keyId}`, field };
}

/** Returns whether a token keeps its ids, so that it need not be sent again; true without a token. */
function isSameToken(
  now: { readonly keyId: string; readonly teamId: string; readonly bundle: string | null },
  stored: PushSideData['credential'] | undefined,
  { bundle_identifier }: PushSideData,
): boolean {
  if (!stored) return true;
  const { keyId, teamId } = stored;
  return keyId === now.keyId && teamId === now.teamId && bundle_identifier === now.bundle;
}

/** Checks that a token has its key, team and app: it is useless without them. */
function checkPresent(
  environment: PushEnvironment,
  values: Readonly<Record<string, string | null>>,
): void {
  const missing = Object.entries(values)
    .filter(([, value]) => !value)
    .map(([key]): [string, readonly string[]] => [`${environment}_${key}`, [messages.required]]);
  if (missing.length > 0) throw invalid(Object.fromEntries(missing));
}

/** Returns the ids of a body, or those that are stored. */
function idsOf(sent: SentToken, stored: PushSideData['credential']) {
  return {
    keyId: sent.key_id ?? stored?.keyId ?? '',
    teamId: sent.team_id ?? stored?.teamId ?? '',
  };
}

function checkedKey(field: string, sent: string): string {
  const key = readPrivateKey(sent, 'P-256');
  if (key === undefined) throw invalid({ [field]: [badTokenKey] });
  return key;
}

const badTokenKey = 'Invalid file: it is no whole P-256 key, as a .p8 file of Apple has.';

const keyGone = 'The stored key can no longer be read: send it again.';

async function storedKey(
  context: Context,
  { environment, field }: { readonly environment: PushEnvironment; readonly field: string },
  { credential }: PushSideData,
): Promise<string> {
  const scope = { instance: instanceOf(context), provider: 'apns', environment } as const;
  const opened = credential && (await findCredential(context.platform, scope, credential));
  if (credential !== null && opened === undefined) throw invalid({ [field]: [keyGone] });
  return opened?.kind === 'token' ? opened.key : '';
}
