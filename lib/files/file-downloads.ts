import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { downloadPath } from '../../shared/platforms/aws/requests/download-path.ts';
import { toVariables } from '../../shared/platforms/aws/settings.ts';
import { FrontFunction, type FrontFunctionProps } from '../front-function.ts';
import type { GatewayPath } from '../gateway/gateway-paths.ts';
import type { FileBucket } from './file-bucket.ts';

/** Folder of the handler in `functions/`. */
export const downloads = 'downloads';

/** The gateway's path to public files, in a deployment without a CDN. */
export const downloadPaths: readonly GatewayPath[] = [
  { path: `${downloadPath}/{proxy+}`, family: downloads },
];

export interface FileDownloadsProps extends Omit<FrontFunctionProps, 'family' | 'variables'> {
  readonly files: FileBucket;
}

/** The function that redirects readers of public files to signed addresses, in a deployment without a CDN. */
export class FileDownloads extends Construct {
  readonly function: LambdaFunction;

  constructor(scope: Construct, id: string, { files, ...props }: FileDownloadsProps) {
    super(scope, id);
    const { function: handler, role } = new FrontFunction(this, 'Handler', {
      ...props,
      family: downloads,
      variables: toVariables({ bucket: files.name }),
    });
    files.grantDownloads(role);
    this.function = handler;
  }
}
