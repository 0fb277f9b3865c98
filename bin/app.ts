import { App } from 'aws-cdk-lib';
import { GroundworkStack } from '../lib/groundwork-stack.ts';
import { readDeploymentSettings } from '../lib/settings.ts';

// its checks take as long as all else; test/soak/synth.test.ts runs them
const app = new App({ builtinCloudFormationValidation: false });
const settings = readDeploymentSettings(app.node);
new GroundworkStack(app, `Groundwork-${settings.stage}`, settings);
