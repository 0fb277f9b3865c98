import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { familyFunctionName } from '../shared/platforms/aws/requests/function-names.ts';
import { commonSettings } from '../shared/ports/settings.ts';
import type { FrontDoor } from './gateway/front-door.ts';
import { HandlerFunction } from './handler-function.ts';
import type { DeploymentSettings } from './settings.ts';

export interface FrontFunctionProps {
  /** Folder of its handler in `functions/`. */
  readonly family: string;
  /** Prefix of the names of functions. */
  readonly prefix: string;
  readonly settings: DeploymentSettings;
  /** Where requests pass before the gateway; undefined: nothing. */
  readonly frontDoor: FrontDoor | undefined;
  readonly variables: Readonly<Record<string, string>>;
}

/** A function for requests outside the interface: it cannot access the table, nor the master secret. */
export class FrontFunction extends HandlerFunction {
  constructor(scope: Construct, id: string, props: FrontFunctionProps) {
    const { family, prefix, settings, frontDoor, variables } = props;
    const { variable } = commonSettings.logLevel;
    const { [variable]: log } = settings.variables;
    super(scope, id, {
      family,
      name: familyFunctionName(prefix, family),
      settings,
      variables: {
        ...variables,
        ...(log !== undefined && { [variable]: log }),
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
  }
}
