import { CfnOutput, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { api } from '../functions/api.ts';
import { channelPolls } from '../functions/channel-polls/resource.ts';
import { scriptEndpoints } from '../functions/script-endpoints/resource.ts';
import { grants as scriptRunsGrants } from '../functions/script-runs/grants.ts';
import { runsFunctionName } from '../shared/platform/aws/scripts/script-names.ts';
import { Background } from './background.ts';
import { DataTable } from './data-table.ts';
import { FamilyFunction } from './family-function.ts';
import { FileBucket } from './file-bucket.ts';
import { gatewayPaths } from './gateway-paths.ts';
import { grantsOf, unionOf, wholeMap } from './grants.ts';
import { HttpApi } from './http-api.ts';
import { MasterSecret } from './master-secret.ts';
import { Observability } from './observability/observability.ts';
import { PushPlatforms } from './push-platforms.ts';
import { ScriptSandbox } from './script-sandbox.ts';
import type { DeploymentSettings } from './settings.ts';

const { name: polls } = channelPolls;
const { name: endpoints } = scriptEndpoints;

/** Groundwork in one AWS account and region: table, bucket, secret, one function per family, and the gateway. */
export class GroundworkStack extends Stack {
  constructor(scope: Construct, id: string, settings: DeploymentSettings) {
    super(scope, id, { description: `Groundwork, a backend platform (${settings.stage})` });
    const { reservations } = settings;
    const table = new DataTable(this, 'Data', settings);
    const files = new FileBucket(this, 'Files', settings);
    const { secret } = new MasterSecret(this, 'Master', settings);
    const push = new PushPlatforms(this, 'PushPlatforms', settings);
    const scripts = new ScriptSandbox(this, 'ScriptSandbox', settings);
    const gateway = new HttpApi(this, 'Gateway', settings);
    const shared = { table, files, push, scripts, secret, settings, url: gateway.url };
    // it is paid for while it waits, and must not take the concurrency of all others
    const pollFunction = { memoryMb: 128, reservedConcurrency: reservations.pollConcurrency };
    const functions = new Map(
      api.map(({ name: family }) => [
        family,
        new FamilyFunction(this, constructId(family), {
          ...shared,
          family,
          grants: grantsOf(family),
          keepsRuns: grantsOf(family).scripts.includes('run'),
          ...(family === polls && pollFunction),
          ...(family === endpoints && { reservedConcurrency: reservations.endpointConcurrency }),
        }).function,
      ]),
    );
    const background = new Background(this, 'Background', shared);
    const { function: scriptRuns } = new FamilyFunction(this, 'ScriptRuns', {
      ...shared,
      family: 'script-runs',
      grants: unionOf([scriptRunsGrants]),
      name: runsFunctionName(scripts.prefix),
      keepsRuns: true,
      reservedConcurrency: reservations.runConcurrency,
      // a started run is not retried; one that starts later than this has lost its slot, and is started again
      asynchronous: { retryAttempts: 0, maxAgeSeconds: 60, failures: background.deadLetters },
    });
    const functionOf = (family: string) => {
      const found = functions.get(family);
      if (found === undefined) throw new Error(`no function for ${family}`);
      return found;
    };
    gateway.leadTo({ paths: gatewayPaths(api), functionOf, fallback: wholeMap });
    new Observability(this, 'Observability', {
      api: gateway.api,
      tableName: table.name,
      functions,
      scriptRuns,
      background: background.function,
      sources: background.sources,
      deadLetters: background.deadLetters,
      settings,
    });
    this.output('Url', 'The root of the interface', gateway.url);
    this.output('TableName', 'The table with all data', table.name);
    this.output('FilesBucket', 'The bucket with all files', files.name);
    this.output(
      'SetUpCode',
      'Prints the code that creates the first account',
      `npm run --silent set-up-code -- ${secret.secretArn}`,
    );
  }

  private output(name: string, description: string, value: string): void {
    new CfnOutput(this, name, { description, value });
  }
}

/** Converts a name such as `api-keys` to `ApiKeys`. */
function constructId(family: string): string {
  return family.replace(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
