import { consoleName, isForConsole } from '../../../console/console.ts';
import { type Family, routesOf } from '../../../core/routing/route.ts';
import { createRouter, type RoutePaths } from '../../../core/routing/router.ts';
import { readEnvironment } from '../environment.ts';
import type { GatewayResponse, Handler } from '../gateway.ts';
import { openHandler } from '../handler.ts';
import { openLambda } from '../sdk/lambda-client.ts';
import { familyFunctionName } from './function-names.ts';
import { showingFunction } from './served-by.ts';

/** A family by its paths, without its code. */
export interface FamilyPaths {
  readonly name: string;
  readonly paths: readonly RoutePaths[];
}

const requestTimeout = 28_500; // milliseconds; the function's own time limit is 29 s

/**
 * Creates the handler of the function that receives requests that match no path of the gateway. It forwards those of
 * other families to their functions, so that each runs under the role of its family whatever the gateway makes of the
 * last slash of a path (lib/gateway/gateway-paths.ts), and serves all others.
 *
 * @param others the families that have functions of their own
 */
export async function openFallback(
  family: Family,
  others: readonly FamilyPaths[],
): Promise<Handler> {
  const serve = await openHandler(routesOf(family));
  const familyOf = createFamilyFinder(others);
  const { scripts, metrics } = readEnvironment();
  const call = openLambda({ requestTimeout });
  const forwardTo = (other: string): Handler =>
    showingFunction(metrics.family, async (event) => {
      const { Payload, FunctionError } = await call((client, { InvokeCommand }) =>
        client.send(
          new InvokeCommand({
            FunctionName: familyFunctionName(scripts.prefix, other),
            Payload: JSON.stringify(event),
          }),
        ),
      );
      // as the gateway responds to a function that fails
      if (FunctionError !== undefined || !Payload)
        throw new Error(`the function of ${other} failed`);
      return JSON.parse(Payload.transformToString()) as GatewayResponse; // handlers return nothing else
    });
  return (event, context) => {
    const other = familyOf(event.rawPath);
    return (other === undefined ? serve : forwardTo(other))(event, context);
  };
}

/**
 * Creates the function that returns the family of a path, with or without its last slash, or the name of the console;
 * undefined: no function has the path.
 */
export function createFamilyFinder(
  families: readonly FamilyPaths[],
): (path: string) => string | undefined {
  const find = createRouter(
    families.flatMap(({ name, paths }) => paths.map((each) => ({ ...each, name }))),
  );
  return (path) =>
    isForConsole(path) ? consoleName : (find(path) ?? find(`${path}/`))?.route.name;
}
