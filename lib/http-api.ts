import { RemovalPolicy, Validations } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  HttpApi as GatewayApi,
  HttpMethod,
  HttpNoneAuthorizer,
  HttpRoute,
  HttpRouteKey,
  HttpStage,
  LogGroupLogDestination,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { GatewayPath } from './gateway-paths.ts';
import type { DeploymentSettings } from './settings.ts';

/** The targets of requests. */
export interface Destinations {
  readonly paths: readonly GatewayPath[];
  readonly functionOf: (family: string) => IFunction;
  /** The family whose function serves requests that match none of the paths. */
  readonly fallback: string;
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
  /** Address of the interface's root, without a slash at the end. */
  readonly url: string;
  readonly api: GatewayApi;

  constructor(scope: Construct, id: string, settings: DeploymentSettings) {
    super(scope, id);
    this.api = new GatewayApi(this, 'Api', {
      apiName: `groundwork-${settings.stage}`,
      createDefaultStage: false,
      defaultAuthorizer: new HttpNoneAuthorizer(),
    });
    this.url = this.api.apiEndpoint;
    this.addStage(settings);
    Validations.of(this.api).acknowledge({
      id: 'AwsSolutions-APIG4',
      reason: 'The functions check credentials: access depends on the resource.',
    });
  }

  /** Adds the routes to the functions, which are created after the gateway because they need its address. */
  leadTo({ paths, functionOf, fallback }: Destinations): void {
    const whole = toFunction(fallback, functionOf(fallback));
    new HttpRoute(this.api, 'DefaultRoute', {
      httpApi: this.api,
      routeKey: HttpRouteKey.DEFAULT,
      integration: whole,
    });
    const integrations = new Map([[fallback, whole]]);
    for (const { path, family } of paths) {
      const integration = integrations.get(family) ?? toFunction(family, functionOf(family));
      integrations.set(family, integration);
      this.api.addRoutes({ path, methods: [HttpMethod.ANY], integration });
    }
  }

  /** Adds `$default`, the one stage whose name is not part of every path. */
  private addStage({ rateLimit, burstLimit, logRetentionDays }: DeploymentSettings): void {
    const logGroup = new LogGroup(this, 'AccessLog', {
      retention: logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    new HttpStage(this, 'Stage', {
      httpApi: this.api,
      stageName: '$default',
      autoDeploy: true,
      throttle: { rateLimit, burstLimit },
      accessLogSettings: {
        destination: new LogGroupLogDestination(logGroup),
        format: AccessLogFormat.custom(JSON.stringify(accessLogFields)),
      },
    });
  }
}

function toFunction(name: string, target: IFunction): HttpLambdaIntegration {
  // One permission per function: one per route would exceed the size limit of a function's policy.
  return new HttpLambdaIntegration(name, target, { scopePermissionToRoute: false });
}
