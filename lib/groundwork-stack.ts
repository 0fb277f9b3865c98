import { CfnOutput, Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { api } from '../functions/api.ts';
import { channelPolls } from '../functions/channel-polls/resource.ts';
import { requestLog } from '../functions/request-log/resource.ts';
import { scriptEndpoints } from '../functions/script-endpoints/resource.ts';
import { grants as scriptRunsGrants } from '../functions/script-runs/grants.ts';
import { consoleName } from '../shared/console/console.ts';
import { familyFunctionName } from '../shared/platforms/aws/requests/function-names.ts';
import { stackVariables, toVariables } from '../shared/platforms/aws/settings.ts';
import { BackgroundFunction } from './background.ts';
import { DataTable } from './data-table.ts';
import { FamilyFunction, type FamilyFunctionProps } from './family-function.ts';
import { FileBucket } from './files/file-bucket.ts';
import { downloadPaths, downloads, FileDownloads } from './files/file-downloads.ts';
import { FrontFunction } from './front-function.ts';
import { consolePaths } from './gateway/console-paths.ts';
import { FrontDoor } from './gateway/front-door.ts';
import { gatewayPaths } from './gateway/gateway-paths.ts';
import { HttpApi } from './gateway/http-api.ts';
import { fallbackFamily, grantsOf, unionOf } from './grants.ts';
import { MasterSecret } from './master-secret.ts';
import { Observability } from './observability/observability.ts';
import { keyOutput, PushPlatforms } from './push-platforms.ts';
import { ScriptSandbox } from './script-sandbox.ts';
import type { DeploymentSettings } from './settings.ts';

const { name: polls } = channelPolls;
const pollMemoryMb = 192; // it was seen to use 74 MB
const { name: endpoints } = scriptEndpoints;

/** Groundwork in one AWS account and region: table, bucket, secret, one function per family, and the gateway. */
export class GroundworkStack extends Stack {
  constructor(scope: Construct, id: string, settings: DeploymentSettings) {
    super(scope, id, { description: `Groundwork, a backend platform (${settings.stage})` });
    const scripts = new ScriptSandbox(this, 'ScriptSandbox', settings);
    const gateway = new HttpApi(this, 'Gateway', {
      settings,
      paths: [...gatewayPaths(api), ...consolePaths, ...(settings.cdn ? [] : downloadPaths)],
      fallback: fallbackFamily,
      functionNameOf: (family) => familyFunctionName(scripts.prefix, family),
    });
    const frontDoor = this.addFrontDoor(gateway, settings);
    const url = `https://${settings.domain?.name ?? frontDoor?.hostName ?? gateway.hostName}`;
    const table = new DataTable(this, 'Data', settings);
    const files = new FileBucket(this, 'Files', { settings, apiUrl: url });
    const { secret } = new MasterSecret(this, 'Master', settings);
    const push = new PushPlatforms(this, 'PushPlatforms', settings);
    const shared = { table, files, push, scripts, secret, settings, url, frontDoor };
    const functions = this.addFamilies(shared);
    const front = { prefix: scripts.prefix, settings, frontDoor };
    if (!settings.cdn) {
      const redirecting = new FileDownloads(this, 'Downloads', { ...front, files });
      functions.set(downloads, redirecting.function);
    }
    const variables = toVariables({ fileOrigins: files.origins.join(' ') });
    const console = new FrontFunction(this, 'Console', {
      ...front,
      family: consoleName,
      variables,
    });
    functions.set(consoleName, console.function);
    for (const target of functions.values()) gateway.allow(target);
    const background = new BackgroundFunction(this, 'Background', shared);
    const { function: scriptRuns } = new FamilyFunction(this, 'ScriptRuns', {
      ...shared,
      family: 'script-runs',
      grants: unionOf([scriptRunsGrants]),
      keepsRuns: true,
      reservedConcurrency: settings.reservations.runConcurrency,
      // a started run is not retried; one that starts later than this has lost its slot, and is started again: under a
      // throttle of the account that would make dead letters though nothing has failed
      asynchronous: { retryAttempts: 0, maxAgeSeconds: 60 },
    });
    new Observability(this, 'Observability', {
      api: gateway.api,
      tableName: table.name,
      functions,
      scriptRuns,
      background: background.function,
      sources: background.sources,
      ...background.queues,
      settings,
    });
    this.output('Url', 'The root of the interface', url);
    this.output('TableName', 'The table with all data', table.name);
    this.output('FilesBucket', 'The bucket with all files', files.name);
    this.output(keyOutput, 'The key of KMS that encrypts push credentials', push.keyArn);
    this.outputSetUp(secret.secretArn);
  }

  /** Adds what is in front of the gateway: a distribution with the web ACL, or at least a domain of its own. */
  private addFrontDoor(gateway: HttpApi, settings: DeploymentSettings): FrontDoor | undefined {
    const { webAclArn, domain } = settings;
    if (webAclArn === undefined) {
      const target = domain && gateway.addDomain(domain);
      if (target !== undefined) this.outputTarget(target);
      return undefined;
    }
    const props = { ...settings, webAclArn, origin: gateway.hostName };
    const frontDoor = new FrontDoor(this, 'FrontDoor', props);
    if (domain !== undefined) this.outputTarget(frontDoor.hostName);
    return frontDoor;
  }

  /** Adds the functions of all families, and returns them by family. */
  private addFamilies(shared: Omit<FamilyFunctionProps, 'family' | 'grants'>) {
    const { reservations } = shared.settings;
    // it is paid for while it waits, and must not take the concurrency of all others
    const pollFunction = {
      memoryMb: pollMemoryMb,
      reservedConcurrency: reservations.pollConcurrency,
    };
    const families = new Map(
      api.map(({ name: family }) => [
        family,
        new FamilyFunction(this, constructId(family), {
          ...shared,
          family,
          grants: grantsOf(family),
          keepsRuns: grantsOf(family).scripts.includes('run'),
          ...(family === polls && pollFunction),
          ...(family === endpoints && { reservedConcurrency: reservations.endpointConcurrency }),
          ...(family === fallbackFamily && {
            forwardsTo: [...othersThan(fallbackFamily), consoleName],
          }),
        }),
      ]),
    );
    allowRequestLog(families);
    return new Map([...families].map(([family, { function: target }]) => [family, target]));
  }

  private outputSetUp(secretArn: string): void {
    const setUp = `npm run --silent set-up-code -- ${secretArn}`;
    this.output('SetUpCode', 'Prints the code that creates the first account', setUp);
  }

  private outputTarget(value: string): void {
    this.output('DomainTarget', 'The target of the DNS record (CNAME or alias)', value);
  }

  private output(name: string, description: string, value: string | undefined): void {
    if (value !== undefined) new CfnOutput(this, name, { description, value });
  }
}

/** Lets the function of the request log read the logs of the functions that serve requests in instances. */
function allowRequestLog(families: ReadonlyMap<string, FamilyFunction>): void {
  const reader = families.get(requestLog.name);
  const inInstances = api.filter(({ routes }) =>
    routes.some(({ instance }) => instance !== 'none'),
  );
  const groups = inInstances.flatMap(({ name }) => families.get(name)?.logGroup ?? []);
  const actions = ['logs:FilterLogEvents'];
  const resources = groups.map(({ logGroupArn }) => logGroupArn);
  reader?.role.addToPolicy(new PolicyStatement({ actions, resources }));
  const { variable } = stackVariables.logGroups;
  const names = groups.map(({ logGroupName }) => logGroupName);
  reader?.function.addEnvironment(variable, names.join(' '));
}

function othersThan(family: string): readonly string[] {
  return api.map(({ name }) => name).filter((name) => name !== family);
}

/** Converts a name such as `api-keys` to `ApiKeys`. */
function constructId(family: string): string {
  return family.replace(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
