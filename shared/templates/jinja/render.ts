import { globals } from './builtins/globals.ts';
import { type RenderResult, renderingFailed } from './rendering.ts';
import { createScope } from './scope.ts';
import { type CompiledStatement, compileBody, createOutput } from './statements.ts';
import { parseTemplate } from './syntax/parser.ts';
import { TemplateSyntaxError } from './syntax/syntax.ts';
import { RenderError, UnsafeAccess, type Value } from './values.ts';

/** Checks the syntax of a template. Returns the error message, or undefined for a valid template. */
export function checkTemplate(source: string): string | undefined {
  try {
    compile(source);
    return undefined;
  } catch (error) {
    if (error instanceof TemplateSyntaxError) return error.message;
    throw error;
  }
}

/**
 * Renders a template (docs/reference/templates.md#engine). A template can access its variables and nothing else of the
 * process.
 *
 * @param variables plain data, which the template may change
 */
export function renderTemplate(
  source: string,
  variables: Readonly<Record<string, Value>>,
): RenderResult {
  try {
    const template = compile(source);
    const { output, text } = createOutput();
    const scope = createScope([...Object.entries(globals), ...Object.entries(variables)]);
    template(scope, output);
    return { ok: true, text: text() };
  } catch (error) {
    return { ok: false, problem: problemOf(error) };
  }
}

function problemOf(error: unknown): string {
  if (error instanceof UnsafeAccess) {
    return 'Access unsafe properties in a template is forbidden.';
  }
  if (error instanceof RenderError || error instanceof TemplateSyntaxError) {
    return `${renderingFailed}: ${error.message}`;
  }
  if (error instanceof RangeError) return renderingFailed; // recursion is too deep, or the output is too long
  throw error;
}

function compile(source: string): CompiledStatement {
  try {
    return compileBody(parseTemplate(source));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new TemplateSyntaxError('the template is nested too deeply');
  }
}
