import { RemovalPolicy } from 'aws-cdk-lib';
import type { Node } from 'constructs';
import { socialSettings } from '../shared/accounts/social-variables.ts';
import { readSettings } from '../shared/platforms/aws/environment.ts';
import { awsSettings } from '../shared/platforms/aws/settings.ts';
import {
  parseSettings,
  type SettingValues,
  type SettingVariable,
  type Variables,
} from '../shared/ports/setting-variables.ts';
import { commonSettings } from '../shared/ports/settings.ts';
import { unknownSetting, unknownVariables } from '../shared/ports/unknown-variables.ts';
import { contextSettings } from './context-settings.ts';

/** Concurrent executions of an account that is not new. */
export const usualQuota = 1000;

/** Settings that reserve concurrency for functions, with their shares of the quota of an account. */
const shares = {
  runConcurrency: 0.15,
  endpointConcurrency: 0.2,
  pollConcurrency: 0.1,
  backgroundConcurrency: 0.05,
} as const;

/** Executions reserved for functions, which are also their limits; undefined: they share those of the account. */
type Reservations = Readonly<Record<keyof typeof shares, number | undefined>>;

const leastUnreserved = 100; // Lambda accepts no reservation beyond
/** Shares of a lower quota would be limits that a few callers reach. */
const leastQuota = 200;

type Given = SettingValues<typeof contextSettings>;

/** Settings of a deployment, from `-c name=value`, `cdk.json` or `cdk.context.json`. */
export interface DeploymentSettings
  extends Omit<
    Given,
    | 'domain'
    | 'certificateArn'
    | keyof Reservations
    | 'tableArn'
    | 'tableStreamArn'
    | 'secretArn'
    | 'bucket'
    | 'keyArn'
  > {
  /** Settings of the functions, as environment variables; absent ones have defaults. */
  readonly variables: Readonly<Record<string, string>>;
  readonly reservations: Reservations;
  /** Host name of the interface, with the ARN of its certificate; undefined: a name of AWS. */
  readonly domain: { readonly name: string; readonly certificateArn: string } | undefined;
  readonly adopted: AdoptedResources;
}

/** Resources with data that exist: the stack uses each of them and creates no other. */
export interface AdoptedResources extends Pick<Given, 'secretArn' | 'bucket' | 'keyArn'> {
  readonly table?: { readonly tableArn: string; readonly tableStreamArn: string };
}

/** Settings that a deployment passes to its functions. */
const passedSettings = Object.values<SettingVariable>({
  ...commonSettings,
  ...awsSettings,
  ...socialSettings,
}).flatMap(({ context, variable }) => (context === undefined ? [] : [{ context, variable }]));

/**
 * Reads the settings of a deployment from the context of the app.
 *
 * @throws Error that names the setting and its valid values
 */
export function readDeploymentSettings(node: Pick<Node, 'tryGetContext'>): DeploymentSettings {
  const given = (name: string): unknown => node.tryGetContext(name) ?? undefined;
  const parsed = parseSettings(contextSettings, given, (name) => `-c ${name}`, Error);
  const { domain: name, certificateArn, webAclArn, ...others } = parsed;
  const { tableArn, tableStreamArn, secretArn, bucket, keyArn, ...output } = others;
  const adopted = { ...adoptTable(tableArn, tableStreamArn), secretArn, bucket, keyArn };
  if ((name === undefined) !== (certificateArn === undefined)) {
    throw new Error('-c domain and -c certificateArn need each other');
  }
  const inVirginia = certificateArn?.includes(':us-east-1:') ?? true;
  if (webAclArn !== undefined && !inVirginia) {
    throw new Error('-c certificateArn takes a certificate in us-east-1 where webAclArn is set');
  }
  const { concurrency } = output;
  const reservations = reserveConcurrency(concurrency, output);
  const { pollConcurrency } = reservations;
  const slots = pollConcurrency && {
    [awsSettings.pollSlots.variable]: String(pollConcurrency),
  };
  const variables = { ...readVariables(given), ...slots };
  const domain = name && certificateArn ? { name, certificateArn } : undefined;
  return { ...output, concurrency, webAclArn, domain, adopted, reservations, variables };
}

/**
 * Returns a warning for each name of the context that looks like a setting and is none, and for each variable of the
 * environment that looks like one: settings of a deployment are not read from there.
 *
 * @param commandNames variables of the command line `groundwork`
 */
export function describeIgnored(
  context: Readonly<Record<string, unknown>>,
  variables: Variables,
  commandNames: readonly string[],
): readonly string[] {
  const passed = passedSettings.map(({ context: name }) => name);
  const known = [...Object.keys(contextSettings), ...passed];
  const names = Object.keys(context).filter((name) => /^[a-z]+$/i.test(name)); // others are of the CDK
  const unknown = names.filter((name) => !known.includes(name));
  return [
    ...unknown.map((name) => `-c ${unknownSetting(name, known)}`),
    ...unknownVariables(variables, commandNames).map(
      (name) => `${name} has no effect: ${advice(name)}`,
    ),
  ];
}

function advice(variable: string): string {
  const passed = passedSettings.find((each) => each.variable === variable);
  return passed === undefined ? 'a deployment has no such setting' : `use -c ${passed.context}=…`;
}

/** A restored table has no stream until one is enabled, whose ARN contains the time of that. */
function adoptTable(
  tableArn: string | undefined,
  tableStreamArn: string | undefined,
): Pick<AdoptedResources, 'table'> {
  if (tableArn === undefined && tableStreamArn === undefined) return {};
  if (tableArn === undefined || tableStreamArn === undefined) {
    throw new Error('-c tableArn and -c tableStreamArn need each other');
  }
  if (!tableStreamArn.startsWith(`${tableArn}/stream/`)) {
    throw new Error('-c tableStreamArn takes the ARN of the stream of the table');
  }
  return { table: { tableArn, tableStreamArn } };
}

function readVariables(given: (name: string) => unknown): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const { context, variable } of passedSettings) {
    const value = given(context);
    if (value !== undefined) variables[variable] = String(value);
  }
  readSettings(variables); // fails now instead of at the first request
  return variables;
}

/**
 * Computes reservations: those that are given, and shares of the account's quota for the others if it allows them. Half
 * of it stays unreserved: functions of scripts need one execution for each run, and requests need the rest.
 *
 * @param quota concurrent executions of the account; undefined: nothing is computed or checked
 * @throws Error when fewer than 100 executions would stay unreserved
 */
function reserveConcurrency(quota: number | undefined, given: Partial<Reservations>): Reservations {
  const share = (name: keyof typeof shares) =>
    given[name] ??
    (quota === undefined || quota < leastQuota ? undefined : Math.floor(quota * shares[name]));
  const reservations: Reservations = {
    runConcurrency: share('runConcurrency'),
    endpointConcurrency: share('endpointConcurrency'),
    pollConcurrency: share('pollConcurrency'),
    backgroundConcurrency: share('backgroundConcurrency'),
  };
  const sum = Object.values(reservations).reduce<number>((total, count = 0) => total + count, 0);
  if (quota !== undefined && sum > 0 && sum > quota - leastUnreserved) {
    throw new Error(
      `-c concurrency=${quota} leaves fewer than 100 executions beside ${sum} reserved`,
    );
  }
  return reservations;
}

/**
 * Returns the policy for resources with data: they outlive the stack and its updates. A first deployment that fails
 * deletes them, because they are still empty.
 */
export function removalPolicyOf(keepData: boolean): RemovalPolicy {
  return keepData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;
}
