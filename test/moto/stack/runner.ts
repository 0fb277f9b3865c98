import { type Lambda, startLambda } from '../../aws-emulator/lambda.ts';
import {
  type FunctionProperties,
  startOnRuntimeClient,
} from '../../aws-emulator/runtime-client.ts';

/** A function of a stack that runs. */
export type RunningFunction<Response = Awaited<ReturnType<Lambda['invoke']>>> = Lambda<
  object,
  Response
>;

const node = process.env.GROUNDWORK_TEST_NODE ?? process.execPath;

/** A function of a stack. */
export interface StackFunction {
  readonly bundle: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly properties: FunctionProperties;
}

/**
 * Starts the bundle of a function. This is the one place that chooses what runs the functions of a stack: AWS's runtime
 * client in `npm run test:runtime`, else a process that takes several requests at a time.
 */
export function startFunction<Response>({
  bundle,
  variables,
  properties,
}: StackFunction): Promise<RunningFunction<Response>> {
  if (process.env.TEST_RUNNER === 'runtime-client') {
    return startOnRuntimeClient<object, Response>(bundle, variables, properties);
  }
  return startLambda<object, Response>(node, bundle, variables);
}
