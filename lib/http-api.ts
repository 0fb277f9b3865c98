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

/** Where calls go. */
export interface Destinations {
  readonly paths: readonly GatewayPath[];
  readonly functionOf: (family: string) => IFunction;
  /** The family whose function serves what none of the paths matches. */
  readonly fallback: string;
}

// The route, not the path: links with a key in them and queries stay out.
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
 * The front door. It has no CORS configuration, with which the gateway would answer preflights by itself and
 * overwrite the headers that the functions send.
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
      reason: 'The functions check credentials: who may call depends on what is called.',
    });
  }

  /** Leads calls to the functions; these come later than the gateway, whose address they know. */
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

  /** `$default`, the one stage whose name does not become a part of every path. */
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
  // One permission a function: one a route would pass the limit of a function's policy.
  return new HttpLambdaIntegration(name, target, { scopePermissionToRoute: false });
}
