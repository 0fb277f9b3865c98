import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { GroundworkStack } from '../../../lib/groundwork-stack.ts';
import { readDeploymentSettings } from '../../../lib/settings.ts';

// biome-ignore lint/suspicious/noExplicitAny: templates are looked into by the tests that know their shape
type Any = any;

/** A template, as JSON. */
export interface StackTemplate {
  readonly Resources: Readonly<Record<string, Any>>;
  readonly Outputs?: Readonly<Record<string, Any>>;
}

/** What `cdk synth` writes: the template of the stack, and the folders of its assets. */
export interface Assembly {
  readonly stackName: string;
  readonly template: StackTemplate;
  /** The template, for readers of the CDK. */
  readonly parsed: Template;
  /** Folders of the assets by their names in the bucket. */
  readonly assets: ReadonlyMap<string, string>;
}

let outdir: string | undefined;

/** Deletes what this process has synthesised. */
export function removeAssemblies(): void {
  if (outdir !== undefined) rmSync(outdir, { recursive: true });
  outdir = undefined;
}

/**
 * Synthesises the stack with its assets. Stacks of one process share the folder, so that the CDK bundles the functions
 * once: that takes most of the time.
 *
 * @param context settings, as of `-c`
 */
export function synthesiseWithAssets(context: Readonly<Record<string, string>> = {}): Assembly {
  outdir ??= mkdtempSync(join(tmpdir(), 'groundwork-assembly-'));
  const flags = JSON.parse(readFileSync('cdk.json', 'utf8')).context;
  const app = new App({
    outdir,
    builtinCloudFormationValidation: false, // test/soak/synth.test.ts runs these checks
    context: { ...flags, ...context },
  });
  const settings = readDeploymentSettings(app.node);
  const { stackName } = new GroundworkStack(app, `Groundwork-${settings.stage}`, settings);
  const artifact = app.synth().getStackByName(stackName);
  const { files } = JSON.parse(readFileSync(join(app.outdir, `${stackName}.assets.json`), 'utf8'));
  const folders = Object.values<Any>(files)
    .filter(({ source }) => source.packaging === 'zip')
    .flatMap(({ source, destinations }) =>
      Object.values<Any>(destinations).map(({ objectKey }): [string, string] => [
        objectKey,
        join(app.outdir, source.path),
      ]),
    );
  const template: StackTemplate = structuredClone(artifact.template);
  return { stackName, template, parsed: Template.fromJSON(template), assets: new Map(folders) };
}
