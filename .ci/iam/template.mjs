/* The roles and policies of a synthesised template, with its references replaced by names as AWS would give them. */

const account = '111122223333';
const region = 'eu-west-1';
const pseudo = { 'AWS::Partition': 'aws', 'AWS::Region': region, 'AWS::AccountId': account };

/** ARNs of the types of resources that policies name. */
const arns = {
  'AWS::DynamoDB::GlobalTable': (name) => `arn:aws:dynamodb:${region}:${account}:table/${name}`,
  'AWS::IAM::Role': (name) => `arn:aws:iam::${account}:role/${name}`,
  'AWS::KMS::Key': () =>
    `arn:aws:kms:${region}:${account}:key/11111111-1111-4111-8111-111111111111`,
  'AWS::Lambda::Function': (name) => `arn:aws:lambda:${region}:${account}:function:${name}`,
  'AWS::Logs::LogGroup': (name) => `arn:aws:logs:${region}:${account}:log-group:${name}:*`,
  'AWS::S3::Bucket': (name) => `arn:aws:s3:::${name.toLowerCase()}`,
  'AWS::SecretsManager::Secret': (name) =>
    `arn:aws:secretsmanager:${region}:${account}:secret:${name}-AbCdEf`,
  'AWS::SQS::Queue': (name) => `arn:aws:sqs:${region}:${account}:${name}`,
};

/** Opens a template. @throws Error for a reference that is not known here */
export function openTemplate(template) {
  const resources = template.Resources;
  const entries = Object.entries(resources);
  const typed = (type) => entries.filter(([, each]) => each.Type === type);

  /** Returns the ARN of a resource, by its logical id. */
  const arnOf = (id) => {
    const arn = arns[resources[id].Type];
    if (arn === undefined) throw new Error(`no ARN of ${resources[id].Type}`);
    return arn(id);
  };
  const readers = {
    Ref: (id) =>
      pseudo[id] ?? (resources[id].Type === 'AWS::SecretsManager::Secret' ? arnOf(id) : id),
    'Fn::Join': ([between, parts]) => parts.map(read).join(between),
    'Fn::GetAtt': ([id, attribute]) => {
      if (attribute === 'Arn') return arnOf(id);
      if (attribute === 'StreamArn') return `${arnOf(id)}/stream/2026-11-27T00:00:00.000`;
      throw new Error(`unknown in a policy: ${id}.${attribute}`);
    },
  };
  const read = (value) => {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(read);
    const [[name, argument] = ['']] = Object.entries(value);
    if (Object.hasOwn(readers, name)) return readers[name](argument);
    if (name.startsWith('Fn::')) throw new Error(`unknown in a policy: ${name}`);
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, read(each)]));
  };

  const roles = new Map(
    typed('AWS::Lambda::Function').map(([, { Properties }]) => [
      String(Properties.Description).replace(/^.*: /, ''),
      Properties.Role['Fn::GetAtt'][0],
    ]),
  );
  const policies = typed('AWS::IAM::Policy').map(([name, { Properties }]) => ({
    name,
    roles: Properties.Roles.map(({ Ref }) => Ref),
    policy: read(Properties.PolicyDocument),
  }));
  /** Policies of resources, by the ARN of what they protect. */
  const resourcePolicies = new Map([
    ...typed('AWS::S3::BucketPolicy').map(([, { Properties }]) => [
      arnOf(Properties.Bucket.Ref),
      read(Properties.PolicyDocument),
    ]),
    ...typed('AWS::SQS::QueuePolicy').flatMap(([, { Properties }]) =>
      Properties.Queues.map(({ Ref }) => [arnOf(Ref), read(Properties.PolicyDocument)]),
    ),
    ...typed('AWS::KMS::Key').map(([id, { Properties }]) => [
      arnOf(id),
      read(Properties.KeyPolicy),
    ]),
  ]);
  return view({
    account,
    region,
    roles,
    policies,
    resourcePolicies,
    arnOf,
    resolve: (text) => {
      const id = Object.keys(resources).find(
        (each) => text === each || text.startsWith(`${each}/`),
      );
      if (id !== undefined) return arnOf(id) + text.slice(id.length);
      return text.replaceAll(/AWS::(Partition|Region|AccountId)/g, (name) => pseudo[name]);
    },
    cdnArn: () => {
      const [[id]] = typed('AWS::CloudFront::Distribution');
      return `arn:aws:cloudfront::${account}:distribution/${id}`;
    },
  });
}

function view(parts) {
  const { roles, policies, resourcePolicies, arnOf } = parts;
  const roleIdOf = (caller) => {
    const role = roles.get(caller);
    if (role === undefined) throw new Error(`no role of ${caller}`);
    return role;
  };
  const policiesOf = (caller) =>
    policies
      .filter((each) => each.roles.includes(roleIdOf(caller)))
      .map(({ name, policy }) => ({ name, policy }));
  return {
    ...parts,
    policiesOf,
    /** Returns the families whose functions have a role. */
    callers: () => [...roles.keys()],
    roleOf: (caller) => arnOf(roleIdOf(caller)),
    /** Returns the policy of a resource; undefined: it has none. */
    resourcePolicyOf: (action, resource) =>
      resourcePolicies.get(action.startsWith('s3:') ? resource.split('/')[0] : resource),
    /** Checks whether a role may put items in partitions of its statement's condition only. */
    onlyMeters: (caller) => {
      const puts = policiesOf(caller)
        .flatMap(({ policy }) => policy.Statement)
        .filter(({ Action }) => [Action].flat().includes('dynamodb:PutItem'));
      return puts.length > 0 && puts.every(({ Condition }) => Condition !== undefined);
    },
    /** Returns a copy in which `plant` has changed the statements of these callers; those of resources for the CDN. */
    changed: (callers, plant) => {
      const ids = new Set([...roles].filter(([caller]) => callers.has(caller)).map(([, id]) => id));
      const plantIn = (policy) => {
        const copy = structuredClone(policy);
        copy.Statement.forEach(plant);
        copy.Statement = copy.Statement.filter(({ Action }) => [Action].flat().length > 0);
        return copy;
      };
      return view({
        ...parts,
        resourcePolicies: callers.has('cdn')
          ? new Map([...resourcePolicies].map(([arn, policy]) => [arn, plantIn(policy)]))
          : resourcePolicies,
        policies: policies.map((each) =>
          each.roles.some((id) => ids.has(id)) ? { ...each, policy: plantIn(each.policy) } : each,
        ),
      });
    },
  };
}
