import type { LambdaClient } from '@aws-sdk/client-lambda';
import { familyFunctionName } from '../requests/function-names.ts';
import { openLambda } from '../sdk/lambda-client.ts';
import type { StartRun } from '../slots/waiting-runs.ts';
import type { RunsEvent } from './runs.ts';

const requestTimeout = 10_000; // Lambda only queues the event

/** Has a function of the deployment invoked, without waiting for it. */
export type InvokeLater = (event: object) => Promise<void>;

/** Opens asynchronous invocations of a function; the client is created with the first one when absent. */
export function openInvokeLater(name: string, client?: LambdaClient): InvokeLater {
  const withLambda = openLambda({ client, requestTimeout });
  return (event) =>
    withLambda(async (lambda, { InvokeCommand }) => {
      const Payload = JSON.stringify(event);
      await lambda.send(
        new InvokeCommand({ FunctionName: name, InvocationType: 'Event', Payload }),
      );
    });
}

/** Opens the start of runs in the function for background runs. */
export function openStartRun(prefix: string, client?: LambdaClient): StartRun {
  const invokeLater = openInvokeLater(familyFunctionName(prefix, 'script-runs'), client);
  return (start, slot) => invokeLater({ start, slot } satisfies RunsEvent);
}
