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
export function startFunction<Response>(found: StackFunction): Promise<RunningFunction<Response>> {
  if (process.env.TEST_RUNNER === 'runtime-client') return openEnvironments<Response>(found);
  return startLambda<object, Response>(node, found.bundle, found.variables);
}

/** Opens a function as Lambda has it: an environment takes one request at a time, and another starts when all have one. */
async function openEnvironments<Response>({
  bundle,
  variables,
  properties,
}: StackFunction): Promise<RunningFunction<Response>> {
  const all: RunningFunction<Response>[] = [];
  const start = async () => {
    const made = await startOnRuntimeClient<object, Response>(bundle, variables, properties);
    all.push(made);
    return made;
  };
  const idle = [await start()];
  return {
    invoke: async (event, circumstances) => {
      const environment = idle.pop() ?? (await start());
      try {
        return await environment.invoke(event, circumstances);
      } finally {
        idle.push(environment);
      }
    },
    close: async () => (await Promise.all(all.map((each) => each.close()))).join(''),
  };
}
