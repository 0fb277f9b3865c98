import { expect, test } from 'vitest';
import { synthesise } from '../support/stack.ts';

const settings = {
  stage: 'a'.repeat(20),
  domain: 'api.example.com',
  certificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/1',
  webAclArn: 'arn:aws:wafv2:us-east-1:123456789012:global/webacl/x/1',
};
const longestRegion = 'ap-northeast-3';

// biome-ignore lint/suspicious/noExplicitAny: the test reads members of the template
type Any = any;

/** Resources whose names are unique in an account or in the world, whatever their region. */
const isGlobal = (type: string) => /^AWS::(CloudFront|IAM|S3|Route53)::/.test(type);
/** Members that hold the name of a resource; the policies of a role have theirs for this role alone. */
const nameMembers = [
  'Name',
  'RoleName',
  'ManagedPolicyName',
  'BucketName',
  'GroupName',
  'UserName',
];

/** Returns the names of a resource: also those in its configuration, where CloudFront has them. */
function namesOf(properties: Any = {}): readonly unknown[] {
  return Object.entries<Any>(properties).flatMap(([member, value]) => {
    if (nameMembers.includes(member)) return [value];
    return /Config$/.test(member) ? namesOf(value) : [];
  });
}

/** Returns the text of a name in the region with the longest name. */
function filled(name: Any): string {
  if (typeof name === 'string') return name;
  const parts: readonly Any[] = name['Fn::Join']?.[1] ?? [name];
  return parts.map((part) => (part.Ref === 'AWS::Region' ? longestRegion : String(part))).join('');
}

const resources = Object.entries<Any>(synthesise(settings).toJSON().Resources);
const named = resources.flatMap(([id, { Type, Properties }]) =>
  namesOf(Properties).map((name) => ({ id, type: String(Type), name })),
);

test('names that are unique in an account differ in each stage and region', () => {
  const found = named.filter(({ type }) => isGlobal(type));

  expect(found.map(({ type }) => type).toSorted()).toEqual([
    'AWS::CloudFront::OriginAccessControl',
    'AWS::CloudFront::ResponseHeadersPolicy',
  ]);
  for (const { name } of found) {
    expect(filled(name)).toContain(longestRegion);
    expect(filled(name)).toContain(settings.stage);
    expect(filled(name).length).toBeLessThanOrEqual(64);
  }
});

test('names of functions and logs have the stage, and at most 64 characters', () => {
  const names = resources.flatMap(([, { Properties = {} }]) =>
    [Properties.FunctionName, Properties.LogGroupName].filter((name) => typeof name === 'string'),
  );

  expect(names.length).toBeGreaterThan(20);
  expect(names.filter((name) => !name.includes(`groundwork-${settings.stage}-`))).toEqual([]);
  expect(names.filter((name) => name.length > 64)).toEqual([]);
  expect(new Set(names).size).toBe(names.length);
});
