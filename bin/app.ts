import { App } from 'aws-cdk-lib';
import { GroundworkStack } from '../lib/groundwork-stack.ts';
import { readDeploymentSettings } from '../lib/settings.ts';

const app = new App();
const settings = readDeploymentSettings(app.node);
new GroundworkStack(app, `Groundwork-${settings.stage}`, settings);
