import type { StackTemplate } from './assembly.ts';

// biome-ignore lint/suspicious/noExplicitAny: parts of templates of every shape
type Any = any;

/** Types of the stack that moto's CloudFormation cannot create. */
export const unknownToMoto = [
  'AWS::ApiGatewayV2::Api',
  'AWS::ApiGatewayV2::Stage',
  'AWS::CloudFront::Distribution',
  'AWS::CloudFront::OriginAccessControl',
  'AWS::CloudFront::ResponseHeadersPolicy',
  'AWS::CloudWatch::Alarm',
  'AWS::Lambda::EventInvokeConfig',
  'AWS::Logs::MetricFilter',
  'AWS::S3::BucketPolicy',
  'AWS::SQS::QueuePolicy',
  'AWS::SecretsManager::Secret',
];

/**
 * The type that moto creates and that is left out where functions run: it would start a container at each write to the
 * table, in place of the tests, and drop the stream.
 */
export const deliveredByTests = 'AWS::Lambda::EventSourceMapping';

/** A template that moto can create. */
export interface AdaptedTemplate {
  readonly template: StackTemplate;
  /** Types of the resources that are left out, once for each resource, sorted. */
  readonly leftOut: readonly string[];
}

/**
 * Changes a template for moto: the table becomes an `AWS::DynamoDB::Table`, and types that moto does not know are left
 * out. Nothing else is changed.
 *
 * @param values what references to resources that are left out become, by `Type` for `Ref`, and by `Type.Attribute`
 * @throws Error when a resource that remains refers to one that is left out, and has no value
 */
export function adaptForMoto(
  original: StackTemplate,
  values: Readonly<Record<string, string>>,
  types: readonly string[] = unknownToMoto,
): AdaptedTemplate {
  const all = Object.entries(original.Resources);
  const left = new Map(all.filter(([, { Type }]) => types.includes(Type)));
  const kept = all.filter(([id]) => !left.has(id)).map(([id, each]) => [id, toTable(each)]);
  const valueFor = (reference: string): string => {
    const value = values[reference];
    if (value === undefined) throw new Error(`moto cannot create ${reference}, which has no value`);
    return value;
  };
  const resolve = (value: Any): Any => {
    if (Array.isArray(value)) return value.map(resolve);
    if (typeof value !== 'object' || value === null) return value;
    const { id, attribute } = referenceIn(value);
    const type = left.get(id)?.Type;
    if (type !== undefined) return valueFor([type, ...attribute].join('.'));
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, resolve(part)]));
  };
  const withoutLeft = ({ DependsOn, ...resource }: Any) => {
    const needed = [DependsOn ?? []].flat().filter((id: string) => !left.has(id));
    return resolve({ ...resource, ...(needed.length > 0 && { DependsOn: needed }) });
  };
  const Resources = Object.fromEntries(kept.map(([id, each]) => [id, withoutLeft(each)]));
  return {
    template: { ...original, Resources, Outputs: resolve(original.Outputs ?? {}) },
    leftOut: [...left.values()].map(({ Type }) => Type).sort(),
  };
}

/** Returns the resource that an object of a template refers to, if it does. */
function referenceIn(value: Any): { id: string; attribute: readonly string[] } {
  if (value.Ref !== undefined) return { id: value.Ref, attribute: [] };
  const [id = '', ...attribute] = value['Fn::GetAtt'] ?? [];
  return { id, attribute };
}

function toTable(resource: Any): Any {
  if (resource.Type !== 'AWS::DynamoDB::GlobalTable') return resource;
  const { Replicas, ...properties } = resource.Properties;
  const [{ Region: _, GlobalSecondaryIndexes: __, ...replica }] = Replicas;
  return {
    ...resource,
    Type: 'AWS::DynamoDB::Table',
    Properties: { ...properties, ...replica },
  };
}
