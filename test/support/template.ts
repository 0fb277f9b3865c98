import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import type { Template } from 'aws-cdk-lib/assertions';
import { GroundworkStack } from '../../lib/groundwork-stack.ts';
import { readDeploymentSettings } from '../../lib/settings.ts';
import type { Statement } from '../aws-emulator/policies.ts';

// biome-ignore lint/suspicious/noExplicitAny: templates are looked into by the tests that know their shape
type Any = any;

/** Returns the stack of `cdk synth` with this context, without what takes seconds: bundles, and the CDK's validation. */
export function openStackIn(folder: string, context: Readonly<Record<string, unknown>> = {}) {
  const flags = JSON.parse(
    readFileSync(new URL('../../cdk.json', import.meta.url), 'utf8'),
  ).context;
  const outdir = mkdtempSync(join(folder, 'out-'));
  const app = new App({
    outdir,
    builtinCloudFormationValidation: false,
    context: { ...flags, 'aws:cdk:bundling-stacks': [], ...context },
  });
  const settings = readDeploymentSettings(app.node);
  const stack = new GroundworkStack(app, `Groundwork-${settings.stage}`, settings);
  return { app, stack };
}

/** Returns the one resource of a type. */
export function onlyOne(template: Template, type: string): { id: string; resource: Any } {
  const found = Object.entries(template.findResources(type));
  const [one] = found;
  if (one === undefined || found.length > 1) throw new Error(`${found.length} of ${type}`);
  return { id: one[0], resource: one[1] };
}

/** A function of the stack: its properties, and the permissions of its role. */
export interface DeployedFunction {
  readonly family: string;
  readonly properties: Any;
  readonly variables: Readonly<Record<string, string>>;
  readonly statements: readonly Statement[];
}

/** Returns all functions of the stack. */
export function deployedFunctions(template: Template): readonly DeployedFunction[] {
  const policies = Object.values(template.findResources('AWS::IAM::Policy')) as Any[];
  return Object.values(template.findResources('AWS::Lambda::Function')).map(
    ({ Properties }: Any) => {
      const role = Properties.Role['Fn::GetAtt'][0];
      const statements = policies
        .filter(({ Properties: { Roles } }) => Roles.some((one: Any) => one.Ref === role))
        .flatMap(({ Properties: policy }) => policy.PolicyDocument.Statement.map(readStatement));
      const variables = Object.entries(Properties.Environment.Variables).map(([name, value]) => [
        name,
        textOf(value),
      ]);
      return {
        family: String(Properties.Description).replace(/^.*: /, ''),
        properties: Properties,
        variables: Object.fromEntries(variables),
        statements,
      };
    },
  );
}

/** Reads a statement of a policy. @throws Error when it forbids something */
export function readStatement({ Effect, Action, Resource, Condition }: Any): Statement {
  if (Effect !== 'Allow') throw new Error(`an effect ${Effect}`);
  const partitions = Condition?.['ForAllValues:StringLike']?.['dynamodb:LeadingKeys'];
  return {
    actions: [Action].flat().sort(),
    resources: [Resource].flat().map(textOf).sort(),
    ...(partitions && { partitions: [partitions].flat() }),
  };
}

/** Returns a value of the template as text: references to a resource, and its ARN, are its logical id. */
export function textOf(value: Any): string {
  if (typeof value === 'string') return value;
  if (value.Ref !== undefined) return value.Ref;
  const [id, attribute] = value['Fn::GetAtt'] ?? [];
  if (attribute === 'Arn') return id;
  if (id !== undefined) return `${id}.${attribute}`;
  if (value['Fn::Join'] !== undefined) return value['Fn::Join'][1].map(textOf).join('');
  throw new Error(`unknown in a template: ${JSON.stringify(value)}`);
}
