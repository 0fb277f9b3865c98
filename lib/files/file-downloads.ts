import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { downloadPath } from '../../shared/platform/aws/requests/download-path.ts';
import { familyFunctionName } from '../../shared/platform/aws/requests/function-names.ts';
import type { FrontDoor } from '../gateway/front-door.ts';
import type { GatewayPath } from '../gateway/gateway-paths.ts';
import { HandlerFunction } from '../handler-function.ts';
import type { DeploymentSettings } from '../settings.ts';
import type { FileBucket } from './file-bucket.ts';

/** Folder of the handler in `functions/`. */
export const downloads = 'downloads';

/** The gateway's path to public files, in a deployment without a CDN. */
export const downloadPaths: readonly GatewayPath[] = [
  { path: `${downloadPath}/{proxy+}`, family: downloads },
];

export interface FileDownloadsProps {
  readonly files: FileBucket;
  /** Prefix of the names of functions. */
  readonly prefix: string;
  readonly settings: DeploymentSettings;
  readonly frontDoor: FrontDoor | undefined;
}

/** The function that redirects readers of public files to signed addresses, in a deployment without a CDN. */
export class FileDownloads extends Construct {
  readonly function: LambdaFunction;

  constructor(scope: Construct, id: string, props: FileDownloadsProps) {
    super(scope, id);
    const { files, prefix, settings, frontDoor } = props;
    const { GROUNDWORK_LOG: log } = settings.variables;
    const { function: handler, role } = new HandlerFunction(this, 'Handler', {
      family: downloads,
      name: familyFunctionName(prefix, downloads),
      settings,
      variables: {
        GROUNDWORK_FILES: files.name,
        ...(log !== undefined && { GROUNDWORK_LOG: log }),
        ...frontDoor?.variables,
      },
      statements: frontDoor
        ? [
            new PolicyStatement({
              actions: ['secretsmanager:GetSecretValue'],
              resources: [frontDoor.secret.secretArn],
            }),
          ]
        : [],
    });
    files.grantDownloads(role);
    this.function = handler;
  }
}
