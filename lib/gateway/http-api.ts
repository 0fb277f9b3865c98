import { Arn, ArnFormat, Aws, Fn, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import {
  CfnApi,
  CfnApiMapping,
  CfnDomainName,
  CfnStage,
  HttpApi as GatewayApi,
  type IHttpApi,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { functionArn } from '../handler-function.ts';
import type { DeploymentSettings } from '../settings.ts';
import { type Destinations, gatewayDefinition } from './gateway-definition.ts';

export interface HttpApiProps extends Omit<Destinations, 'invocationOf'> {
  readonly settings: DeploymentSettings;
  /**
   * Returns the name of a family's function. The function itself is created later, because it needs the address of the
   * interface.
   */
  readonly functionNameOf: (family: string) => string;
}

// The route instead of the path, because paths may contain keys. Queries are not logged either.
const accessLogFields = {
  requestId: '$context.requestId',
  time: '$context.requestTime',
  address: '$context.identity.sourceIp',
  method: '$context.httpMethod',
  route: '$context.routeKey',
  status: '$context.status',
  bytes: '$context.responseLength',
  durationMs: '$context.responseLatency',
  error: '$context.error.message',
  integrationError: '$context.integrationErrorMessage',
};

/**
 * The HTTP API. It has no CORS configuration, because the gateway would then respond to preflights itself and overwrite
 * the headers of the functions.
 */
export class HttpApi extends Construct {
  readonly api: IHttpApi;
  /** Host name that AWS has given it. */
  readonly hostName: string;
  private readonly stage: CfnStage;

  constructor(scope: Construct, id: string, props: HttpApiProps) {
    super(scope, id);
    const { settings, functionNameOf, paths, fallback } = props;
    const invocationOf = (family: string) => this.invocation(functionNameOf(family));
    const title = `groundwork-${settings.stage}`;
    const api = new CfnApi(this, 'Api', {
      body: gatewayDefinition(title, { paths, fallback, invocationOf }),
      failOnWarnings: true, // else a route that the import leaves out would be a 404 of the whole family
    });
    this.api = GatewayApi.fromHttpApiAttributes(this, 'Created', { httpApiId: api.ref });
    this.hostName = Fn.join('', [api.ref, '.execute-api.', Aws.REGION, '.', Aws.URL_SUFFIX]);
    this.stage = this.addStage(settings);
    Validations.of(api).acknowledge({
      id: 'AwsSolutions-APIG4',
      reason: 'The functions check credentials: access depends on the resource.',
    });
  }

  /** Allows the API to invoke a function: one permission for all routes, or its policy would exceed its size limit. */
  allow(target: IFunction): void {
    target.addPermission('Gateway', {
      principal: new ServicePrincipal('apigateway.amazonaws.com'),
      sourceArn: Arn.format(
        { service: 'execute-api', resource: this.api.apiId, resourceName: '*' },
        Stack.of(this),
      ),
    });
  }

  /** Serves the interface at the root of a domain. Returns the target for its DNS record. */
  addDomain({ name, certificateArn }: NonNullable<DeploymentSettings['domain']>): string {
    const domain = new CfnDomainName(this, 'Domain', {
      domainName: name,
      domainNameConfigurations: [
        { certificateArn, endpointType: 'REGIONAL', securityPolicy: 'TLS_1_2' },
      ],
    });
    // at the root: a key of the mapping would be part of every path, though not of the functions' `rawPath`
    new CfnApiMapping(this, 'Mapping', {
      apiId: this.api.apiId,
      domainName: domain.ref,
      stage: this.stage.ref,
    });
    return domain.attrRegionalDomainName;
  }

  private invocation(functionName: string): string {
    return Arn.format(
      {
        service: 'apigateway',
        account: 'lambda',
        resource: 'path/2015-03-31/functions',
        resourceName: `${functionArn(this, functionName)}/invocations`,
      },
      Stack.of(this),
    );
  }

  /** Adds `$default`, the one stage whose name is not part of every path. */
  private addStage(settings: DeploymentSettings) {
    const { rateLimit, burstLimit, accessLog } = settings;
    const stage = new CfnStage(this, 'Stage', {
      apiId: this.api.apiId,
      stageName: '$default',
      autoDeploy: true,
      defaultRouteSettings: { throttlingRateLimit: rateLimit, throttlingBurstLimit: burstLimit },
      ...(accessLog && { accessLogSettings: this.addAccessLog(settings) }),
    });
    if (!accessLog) {
      Validations.of(stage).acknowledge({
        id: 'AwsSolutions-APIG1',
        reason:
          'The functions log each request; what only the gateway sees is in its metrics, and alarms on 5xx.',
      });
    }
    return stage;
  }

  private addAccessLog({ stage, logRetentionDays }: DeploymentSettings) {
    const logGroup = new LogGroup(this, 'AccessLog', {
      // the policy by which services write into other groups has a size limit, and one for the whole region
      logGroupName: `/aws/vendedlogs/groundwork-${stage}-api`,
      retention: logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    return {
      destinationArn: Arn.format(
        {
          service: 'logs',
          resource: 'log-group',
          resourceName: logGroup.logGroupName,
          arnFormat: ArnFormat.COLON_RESOURCE_NAME,
        },
        Stack.of(this),
      ), // `logGroupArn` ends in `:*`
      format: JSON.stringify(accessLogFields),
    };
  }
}
