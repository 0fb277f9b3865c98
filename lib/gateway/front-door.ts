import { Validations } from 'aws-cdk-lib';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import {
  AllowedMethods,
  CachePolicy,
  Distribution,
  HttpVersion,
  OriginProtocolPolicy,
  OriginRequestPolicy,
  OriginSslPolicy,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { toVariables } from '../../shared/platforms/aws/settings.ts';
import { proxySecretHeader } from '../../shared/ports/proxy-header.ts';
import type { DeploymentSettings } from '../settings.ts';

export interface FrontDoorProps extends Pick<DeploymentSettings, 'stage' | 'domain'> {
  readonly webAclArn: string;
  /** Host name of the gateway. */
  readonly origin: string;
}

/**
 * A distribution in front of the gateway, which cannot have a web ACL itself. It caches nothing and forwards everything.
 * The functions reject requests without its secret, which would bypass the web ACL.
 */
export class FrontDoor extends Construct {
  readonly hostName: string;
  readonly secret: Secret;
  /** Variables of the functions that serve requests. */
  readonly variables: Readonly<Record<string, string>>;

  constructor(scope: Construct, id: string, { stage, domain, webAclArn, origin }: FrontDoorProps) {
    super(scope, id);
    this.secret = new Secret(this, 'Secret', {
      description: `Groundwork ${stage}: proves that a request has passed the web ACL`,
      generateSecretString: { passwordLength: 48, excludePunctuation: true },
    });
    this.variables = toVariables({ proxySecret: this.secret.secretArn });
    const distribution = new Distribution(this, 'Distribution', {
      comment: `Groundwork ${stage}: the interface`,
      httpVersion: HttpVersion.HTTP2_AND_3,
      webAclId: webAclArn,
      ...(domain && {
        domainNames: [domain.name],
        certificate: Certificate.fromCertificateArn(this, 'Certificate', domain.certificateArn),
      }),
      defaultBehavior: {
        origin: new HttpOrigin(origin, {
          protocolPolicy: OriginProtocolPolicy.HTTPS_ONLY,
          originSslProtocols: [OriginSslPolicy.TLS_V1_2],
          // resolved by CloudFormation: the template has only the name of the secret
          customHeaders: { [proxySecretHeader]: this.secret.secretValue.unsafeUnwrap() },
        }),
        viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
        allowedMethods: AllowedMethods.ALLOW_ALL,
        cachePolicy: CachePolicy.CACHING_DISABLED,
        originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
      },
    });
    this.hostName = distribution.distributionDomainName;
    Validations.of(this.secret).acknowledge({
      id: 'AwsSolutions-SMG4',
      reason: 'CloudFormation copies it into the distribution only when the stack changes.',
    });
    Validations.of(distribution).acknowledge(
      { id: 'AwsSolutions-CFR1', reason: 'The web ACL decides about countries.' },
      { id: 'AwsSolutions-CFR3', reason: 'Paths and queries may contain keys; the gateway logs.' },
      {
        id: 'AwsSolutions-CFR4',
        reason:
          'Without a custom domain, the cloudfront.net certificate determines the TLS versions.',
      },
    );
  }
}
