import { type Lambda, startLambda } from '../../aws-emulator/lambda.ts';

/** A function of a stack that runs. */
export type RunningFunction<Response = Awaited<ReturnType<Lambda['invoke']>>> = Lambda<
  object,
  Response
>;

const node = process.env.GROUNDWORK_TEST_NODE ?? process.execPath;

/** Starts the bundle of a function. This is the one place that chooses what runs the functions of a stack. */
export function startFunction<Response>(
  bundle: string,
  variables: Readonly<Record<string, string>>,
): Promise<RunningFunction<Response>> {
  return startLambda<object, Response>(node, bundle, variables);
}
