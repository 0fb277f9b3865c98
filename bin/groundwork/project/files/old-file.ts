import { extname } from 'node:path';
import { isJsonObject, type Json, type JsonObject } from '../../../../shared/values/json/json.ts';
import type { SectionName } from '../model/section.ts';

/** Name of the project file of the old service's command line. */
export const oldFile = 'syncano.yml';

/** The content of an old file in the form of a project file. */
export interface Converted {
  readonly content: JsonObject;
  /** Sections that the file describes: it says nothing about others. */
  readonly managed: ReadonlySet<SectionName>;
  /** What differs, a line each. */
  readonly warnings: readonly string[];
}

/** Converts the content of a `syncano.yml`: a map of classes, and a list of scripts with names of their endpoints. */
export function convertOldFile(given: unknown): Converted {
  const { classes, scripts, ...others } = isJsonObject(given) ? given : {};
  const warnings = Object.keys(others).map((name) => `${oldFile}: ${name} is left out`);
  const content = {
    ...(classes !== undefined && { classes: convertClasses(classes, warnings) }),
    ...(scripts !== undefined && convertScripts(scripts, warnings)),
  };
  return {
    content,
    managed: new Set(sectionNames.filter((name) => name in content)),
    warnings,
  };
}

const sectionNames = ['classes', 'scripts', 'script_endpoints'] as const;

function convertClasses(classes: Json, warnings: string[]): JsonObject {
  const entries = Object.entries(isJsonObject(classes) ? classes : {}).map(([name, given]) => {
    const { fields, group_permissions, other_permissions } = isJsonObject(given) ? given : {};
    const types = Object.entries(isJsonObject(fields) ? fields : {}).map(([field, type]) => {
      if (typeof type !== 'string' || !/^\s*(reference|relation)\s*$/i.test(type)) {
        return [field, type];
      }
      warnings.push(`${oldFile}: classes.${name}.fields.${field} has no target: taken as self`);
      return [field, `${type} self`]; // the old command wrote no targets of relations
    });
    const rights = Object.entries({ group_permissions, other_permissions });
    return [
      name.toLowerCase(),
      {
        fields: Object.fromEntries(types),
        ...Object.fromEntries(rights.filter(([, right]) => right !== undefined)),
      },
    ];
  });
  return Object.fromEntries(entries);
}

function convertScripts(list: Json, warnings: string[]) {
  const all = (Array.isArray(list) ? list : []).filter(isJsonObject).map((given) => ({
    given,
    label: String(given.label ?? ''),
    file: String(given.script ?? '').replaceAll('\\', '/'), // written on Windows
  }));
  const left = all.filter(({ file }) => !extensions.includes(extname(file)));
  for (const { label, file } of left) {
    warnings.push(`${oldFile}: the script ${label} is left out: ${file} cannot run here`);
  }
  const taken = all.filter((script) => !left.includes(script));
  const endpoints = taken.flatMap(({ label, given: { endpoints: own } }) =>
    (Array.isArray(own) ? own : []).map((name) => [String(name), { script: label }] as const),
  );
  return {
    scripts: Object.fromEntries(
      taken.map(({ label, file, given }) => [label, entryOf(file, given)]),
    ),
    script_endpoints: Object.fromEntries(endpoints),
  };
}

/** Extensions of the runtimes that exist here. */
const extensions = ['.js', '.py'];

function entryOf(file: string, { runtime, config }: JsonObject): JsonObject {
  return {
    file,
    config: config ?? {},
    ...(runtime !== undefined && runtime !== null && { runtime_name: runtime }),
  };
}
