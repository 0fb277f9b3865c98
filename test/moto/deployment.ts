import { CreateEmailIdentityCommand, SESv2Client } from '@aws-sdk/client-sesv2';
import { familyFunctionName } from '../../shared/platforms/aws/requests/function-names.ts';
import { bootstrap, type MotoPlace, placeOf } from './stack/account.ts';
import { removeAssemblies, synthesiseWithAssets } from './stack/assembly.ts';
import { functionsOf } from './stack/functions.ts';
import { type RunningFunction, startFunction } from './stack/runner.ts';
import { createRunningStack } from './stack/running-stack.ts';
import { apiId, cdnDomain } from './stack/stand-ins.ts';

/** The functions of the stack, and what they need of AWS, on moto. */
export interface MotoDeployment {
  readonly table: string;
  readonly bucket: string;
  /** Options of clients of moto. */
  readonly place: MotoPlace;
  /** Returns a function, in a process of its own. */
  functionOf(family: string): Promise<RunningFunction>;
  /** Stops all processes; returns the log of all functions. */
  close(): Promise<string>;
}

const mailFrom = 'no-reply@example.com';

/**
 * Has CloudFormation create the stack, and prepares all functions with the bundles and the variables of the stack. They
 * start with their first request.
 *
 * @param secret text of the secret
 */
export async function deployOnMoto(endpoint: string, secret: string): Promise<MotoDeployment> {
  const place = placeOf(endpoint);
  const assembly = synthesiseWithAssets({ passwordCost: '10', mailFrom, pollSeconds: '1' });
  await bootstrap(place);
  const created = await createRunningStack(place, assembly, secret);
  const sender = new CreateEmailIdentityCommand({ EmailIdentity: mailFrom });
  await new SESv2Client(place).send(sender); // not part of the stack
  const find = functionsOf(place, assembly, created, {
    [`https://sqs.${place.region}.amazonaws.com`]: endpoint,
    [`${apiId}.execute-api.${place.region}.amazonaws.com`]: 'api.example.com',
    [cdnDomain]: 'files.example.com',
  });
  const start = async (family: string): Promise<RunningFunction> => {
    const found = find(familyFunctionName('groundwork-prod', family));
    if (found === undefined) throw new Error(`the stack has no function of ${family}`);
    return startFunction(found);
  };
  const functions = new Map<string, Promise<RunningFunction>>();
  return {
    table: created.outputs.TableName ?? '',
    bucket: created.outputs.FilesBucket ?? '',
    place,
    functionOf: (family) => {
      const started = functions.get(family) ?? start(family);
      functions.set(family, started);
      return started;
    },
    close: async () => {
      const all = await Promise.all(functions.values());
      const logs = await Promise.all(all.map((each) => each.close()));
      removeAssemblies();
      return logs.join('');
    },
  };
}
