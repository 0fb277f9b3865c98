import { App } from 'aws-cdk-lib';
import { GroundworkStack } from '../lib/groundwork-stack.ts';
import { describeIgnored, readDeploymentSettings } from '../lib/settings.ts';
import { processVariables } from '../shared/ports/setting-variables.ts';
import { apiKeyVariable, variables } from './groundwork/settings.ts';

// its checks take as long as all else; test/soak/synth.test.ts runs them
const app = new App({ builtinCloudFormationValidation: false });
const commandNames = [...Object.values(variables), apiKeyVariable];
for (const line of describeIgnored(app.node.getAllContext(), processVariables(), commandNames)) {
  process.stderr.write(`groundwork: ${line}\n`);
}
const settings = readDeploymentSettings(app.node);
new GroundworkStack(app, `Groundwork-${settings.stage}`, settings);
