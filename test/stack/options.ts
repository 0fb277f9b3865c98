import { Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { describe, expect, test } from 'vitest';
import { inStackFolder, synthesise } from '../support/stack.ts';
import { deployedFunctions, onlyOne, openStackIn, textOf } from '../support/template.ts';
import { adoptedContext } from './adopted-context.ts';

// biome-ignore lint/suspicious/noExplicitAny: the tests read members of the template
type Any = any;

const account = '123456789012';
const domain = {
  domain: 'api.example.com',
  certificateArn: `arn:aws:acm:us-east-1:${account}:certificate/1`,
};
const webAclArn = `arn:aws:wafv2:us-east-1:${account}:global/webacl/x/1`;

/** Returns the statements of the bucket's policy that allow something. */
function bucketGrants(template: ReturnType<typeof synthesise>): readonly Any[] {
  const { resource } = onlyOne(template, 'AWS::S3::BucketPolicy');
  return resource.Properties.PolicyDocument.Statement.filter(
    ({ Effect }: Any) => Effect === 'Allow',
  );
}

test('the bucket lets its distribution read public files, and nothing else', () => {
  const grants = bucketGrants(synthesise());

  expect(grants.map(({ Action, Resource }) => [Action, textOf(Resource)])).toEqual([
    ['s3:GetObject', expect.stringMatching(/^FilesBucket\w+\/public\/\*$/)],
    ['s3:ListBucket', expect.stringMatching(/^FilesBucket\w+$/)], // or a missing file is a 403
  ]);
  for (const grant of grants) {
    expect(grant).toMatchObject({
      Principal: { Service: 'cloudfront.amazonaws.com' },
      Condition: { StringEquals: { 'AWS:SourceArn': expect.anything() } },
    });
  }
});

test('the log of the gateway has a name for which no policy of the region is written', () => {
  const logs = Object.values<Any>(
    synthesise({ accessLog: 'true' }).findResources('AWS::Logs::LogGroup'),
  );
  const names = logs.map(({ Properties }) => Properties.LogGroupName).filter(Boolean);

  expect(names).toEqual(['/aws/vendedlogs/groundwork-prod-api']);
});

describe('with a key of KMS for push credentials', () => {
  const template = synthesise({ kmsKey: 'true' });
  const { id: keyId, resource: key } = onlyOne(template, 'AWS::KMS::Key');
  const functions = deployedFunctions(template).filter(({ family }) => family !== 'console');

  test('it rotates automatically, and outlives the stack', () => {
    expect(key).toMatchObject({
      Properties: { EnableKeyRotation: true },
      DeletionPolicy: 'RetainExceptOnCreate',
      UpdateReplacePolicy: 'Retain',
    });
  });

  test('is an output, by which preflight sees it', () => {
    expect(template.findOutputs('PushKeyArn')).toMatchObject({
      PushKeyArn: { Value: expect.anything() },
    });
  });

  test('functions know it, and those that have to do with credentials may use it', () => {
    const granted = functions.flatMap(({ family, statements }) =>
      statements
        .filter(({ resources }) => resources.includes(keyId))
        .map(({ actions }) => [family, actions]),
    );
    const variables = functions.map((each) => each.variables.GROUNDWORK_VAULT);

    expect(new Set(variables)).toEqual(new Set([keyId]));
    expect(Object.fromEntries(granted)).toEqual(
      Object.fromEntries([
        ...['push', 'batch', 'background'].map((family) => [
          family,
          ['kms:Decrypt', 'kms:GenerateDataKey'],
        ]),
        ['user-settings', ['kms:GenerateDataKey']],
      ]),
    );
  });
});

describe('without a CDN', () => {
  const template = synthesise({ cdn: 'false' });
  const functions = deployedFunctions(template);
  const { Body } = onlyOne(template, 'AWS::ApiGatewayV2::Api').resource.Properties;

  test('there is no distribution, and the bucket allows no one but functions', () => {
    expect(template.findResources('AWS::CloudFront::Distribution')).toEqual({});
    expect(bucketGrants(template)).toEqual([]);
  });

  test('files have addresses of the interface, and pages may read them in the bucket', () => {
    const variables = functions.find(({ family }) => family === 'objects')?.variables;
    const { resource } = onlyOne(template, 'AWS::S3::Bucket');

    expect(variables?.GROUNDWORK_FILES_URL).toBe(`${variables?.GROUNDWORK_API_URL}/files`);
    expect(Body.paths['/files/{proxy+}']).toBeDefined();
    expect(resource.Properties.CorsConfiguration.CorsRules).toEqual([
      expect.objectContaining({ AllowedMethods: ['POST', 'GET', 'HEAD'], AllowedOrigins: ['*'] }),
    ]);
  });

  test('the console may show files from addresses of the interface, which lead to the bucket', () => {
    const variables = functions.find(({ family }) => family === 'console')?.variables;
    const objects = functions.find(({ family }) => family === 'objects')?.variables;

    expect(variables?.GROUNDWORK_FILE_ORIGINS?.split(' ')).toEqual([
      objects?.GROUNDWORK_API_URL,
      expect.stringMatching(/^https:\/\/FilesBucket\w+\.RegionalDomainName$/),
    ]);
  });

  test('the function that signs them may read public files, and nothing else', () => {
    const downloads = functions.find(({ family }) => family === 'downloads');

    expect(downloads?.statements).toEqual([
      {
        actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
        resources: [expect.stringMatching(/^DownloadsHandlerLog/)],
      },
      { actions: ['s3:GetObject'], resources: [expect.stringMatching(/\/public\/\*$/)] },
      { actions: ['s3:ListBucket'], resources: [expect.stringMatching(/^FilesBucket/)] },
    ]);
    expect(Object.keys(downloads?.variables ?? {})).toEqual([
      'GROUNDWORK_METRICS',
      'GROUNDWORK_FAMILY',
      'GROUNDWORK_FILES',
    ]);
  });
});

describe('with a domain', () => {
  const template = synthesise(domain);

  test('the interface is at its root, and an output has the target of its DNS record', () => {
    const { resource } = onlyOne(template, 'AWS::ApiGatewayV2::DomainName');
    const { resource: mapping } = onlyOne(template, 'AWS::ApiGatewayV2::ApiMapping');
    const { Url, DomainTarget } = template.toJSON().Outputs;

    expect(resource.Properties).toEqual({
      DomainName: domain.domain,
      DomainNameConfigurations: [
        {
          CertificateArn: domain.certificateArn,
          EndpointType: 'REGIONAL',
          SecurityPolicy: 'TLS_1_2',
        },
      ],
    });
    expect(mapping.Properties).not.toHaveProperty('ApiMappingKey');
    expect(Url.Value).toBe('https://api.example.com');
    expect(textOf(DomainTarget.Value)).toMatch(/^GatewayDomain\w+\.RegionalDomainName$/);
    expect(deployedFunctions(template)[0]?.variables.GROUNDWORK_API_URL).toBe(
      'https://api.example.com',
    );
  });
});

describe('with a web ACL', () => {
  const template = synthesise({ webAclArn, ...domain });
  const distributions = Object.values<Any>(
    template.findResources('AWS::CloudFront::Distribution'),
  ).map(({ Properties }) => Properties.DistributionConfig);
  const [front] = distributions.filter(({ Aliases }) => Aliases !== undefined);
  const [secretId] =
    Object.keys(template.findResources('AWS::SecretsManager::Secret')).filter((id) =>
      id.startsWith('FrontDoor'),
    ) ?? [];

  test('it is on every distribution', () => {
    expect(distributions.map(({ WebACLId }) => WebACLId)).toEqual([webAclArn, webAclArn]);
  });

  test('a distribution is in front of the gateway, which caches nothing and forwards everything', () => {
    expect(front.Aliases).toEqual([domain.domain]);
    expect(front.DefaultCacheBehavior).toMatchObject({
      AllowedMethods: ['GET', 'HEAD', 'OPTIONS', 'PUT', 'PATCH', 'POST', 'DELETE'],
      CachePolicyId: '4135ea2d-6df8-44a3-9df3-4b5a84be39ad', // CachingDisabled
      OriginRequestPolicyId: 'b689b0a8-53d0-40ab-baf2-68738e2966ac', // AllViewerExceptHostHeader
      ViewerProtocolPolicy: 'https-only',
    });
    expect(template.findResources('AWS::ApiGatewayV2::DomainName')).toEqual({});
    expect(textOf(template.toJSON().Outputs.DomainTarget.Value)).toMatch(
      /^FrontDoorDistribution\w+\.DomainName$/,
    );
  });

  test('it proves itself to the functions by a secret, which only they and CloudFormation read', () => {
    const [header] = front.Origins[0].OriginCustomHeaders;

    expect(header.HeaderName).toBe('x-groundwork-proxy-secret');
    expect(textOf(header.HeaderValue)).toBe(
      `{{resolve:secretsmanager:${secretId}:SecretString:::}}`,
    );
    for (const { family, variables, statements } of deployedFunctions(template)) {
      expect({ family, variables }).toMatchObject({
        variables: { GROUNDWORK_PROXY_SECRET: secretId },
      });
      expect(statements.flatMap(({ resources }) => resources)).toContain(secretId);
    }
  });
});

test('with tracing, every function has it, and only then', () => {
  const modes = (context: object) =>
    new Set(
      deployedFunctions(synthesise({ ...context })).map(
        ({ properties }) => properties.TracingConfig?.Mode,
      ),
    );

  expect(modes({})).toEqual(new Set([undefined]));
  expect(modes({ tracing: 'true' })).toEqual(new Set(['Active']));
});

test('the table can be protected once it is there', () => {
  const { resource } = onlyOne(synthesise({ protectTable: true }), 'AWS::DynamoDB::GlobalTable');

  expect(resource.Properties.Replicas[0].DeletionProtectionEnabled).toBe(true);
});

test.each([
  { cdn: false },
  { webAclArn, ...domain },
  { tracing: true },
  domain,
  adoptedContext,
  { ...adoptedContext, cdn: false },
])('cdk-nag reports only findings that are acknowledged with a reason, with %o', (context) => {
  inStackFolder((folder) => {
    const { app } = openStackIn(folder, context);
    Validations.of(app).addPlugins(new AwsSolutionsChecks(app, { verbose: true }));

    expect(() => app.synth()).not.toThrow();
  });
});
