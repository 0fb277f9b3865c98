import { PutSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import * as v from 'valibot';
import { type MasterSecrets, parseSecrets } from '../../../accounts/rules/master-secrets.ts';
import { messageOf } from '../../../values/caught.ts';
import { parsedJson } from '../../../values/json/parsed-json.ts';
import { clientOf, fetchSecrets } from '../secrets.ts';

/*
 * A copy of the master secret in a file: {"format": "groundwork-secret/1", "secret": "<ARN>", "saved": "<time>",
 * "value": <MasterSecrets>}.
 */

const format = 'groundwork-secret/1';
const schema = v.object({
  format: v.literal(format),
  secret: v.string(),
  saved: v.string(),
  value: v.unknown(),
});

/** A copy of a master secret. */
export interface SecretCopy {
  /** ARN of the secret that was copied. */
  readonly secret: string;
  /** When, in ISO 8601. */
  readonly saved: string;
  readonly value: MasterSecrets;
}

/** Versions in which a deployment and a copy differ. */
export interface SecretDifference {
  /** Versions that only the deployment has: their keys end when the copy is restored. */
  readonly onlyDeployed: readonly number[];
  /** Versions that only the copy has. */
  readonly onlyCopied: readonly number[];
  /** Versions with one number and two secrets. */
  readonly different: readonly number[];
}

/**
 * Reads the secret of a deployment for a copy.
 *
 * @throws Error when AWS returns an error
 */
export async function takeCopy(arn: string): Promise<SecretCopy> {
  const { secrets } = await fetchSecrets(clientOf(arn), arn);
  return { secret: arn, saved: new Date().toISOString(), value: secrets };
}

/** Writes the text of a copy. */
export function writeCopy(copy: SecretCopy): string {
  return `${JSON.stringify({ format, ...copy })}\n`;
}

/** Parses the text of a copy; undefined where it is none. */
export function parseCopy(text: string): SecretCopy | undefined {
  const parsed = v.safeParse(schema, parsedJson(text));
  const value = parsed.success ? parseSecrets(JSON.stringify(parsed.output.value)) : undefined;
  return parsed.success && value !== undefined ? { ...parsed.output, value } : undefined;
}

/** Compares a copy with what a deployment has; undefined when the deployment's secret cannot be read, or is damaged. */
export async function compareCopy(
  arn: string,
  { value }: SecretCopy,
): Promise<{ readonly difference?: SecretDifference; readonly cause?: string }> {
  try {
    const { secrets } = await fetchSecrets(clientOf(arn), arn);
    return { difference: differenceOf(secrets, value) };
  } catch (error) {
    return { cause: messageOf(error) };
  }
}

function differenceOf(deployed: MasterSecrets, copied: MasterSecrets): SecretDifference {
  const [here, there] = [secretsOf(deployed), secretsOf(copied)];
  return {
    onlyDeployed: [...here.keys()].filter((version) => !there.has(version)),
    onlyCopied: [...there.keys()].filter((version) => !here.has(version)),
    different: [...here].flatMap(([version, secret]) =>
      there.has(version) && there.get(version) !== secret ? [version] : [],
    ),
  };
}

/** Returns the secrets by their versions. */
function secretsOf({ versions }: MasterSecrets): ReadonlyMap<number, string> {
  return new Map(versions.map(({ version, secret }) => [version, secret]));
}

/** Puts a copy in the place of what a deployment has. Functions use it within ten minutes. */
export async function restoreCopy(arn: string, { value }: SecretCopy): Promise<void> {
  const put = { SecretId: arn, SecretString: JSON.stringify(value) };
  await clientOf(arn).send(new PutSecretValueCommand(put));
}
