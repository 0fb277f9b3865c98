import ts from 'typescript';

/** An error of the compiler: its file, and its text. */
export interface Complaint {
  readonly file: string;
  readonly text: string;
}

/** Options of a project that checks all it can; the libraries are those of browsers. */
const strict: ts.CompilerOptions = {
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  noImplicitOverride: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  verbatimModuleSyntax: true,
  erasableSyntaxOnly: true,
  isolatedModules: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  rewriteRelativeImportExtensions: true,
  skipLibCheck: true,
};

/** Projects in which the client compiles: for browsers, for Node, and with the defaults of `tsc --strict` for both. */
export const libraries = {
  browser: { lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'], types: [] },
  node: { lib: ['lib.es2022.d.ts'], types: ['node'] },
  both: { types: ['node'], exactOptionalPropertyTypes: false, noUncheckedIndexedAccess: false },
} satisfies Record<string, ts.CompilerOptions>;

const libraryFiles = new Map<string, ts.SourceFile | undefined>();

/** Returns a host that parses the files of libraries once for all programs: what they are parsed with is the same. */
function hostOf(options: ts.CompilerOptions): ts.CompilerHost {
  const host = ts.createCompilerHost(options);
  return {
    ...host,
    getSourceFile: (name, ...more) => {
      if (!name.includes('/node_modules/')) return host.getSourceFile(name, ...more);
      const file = libraryFiles.get(name) ?? host.getSourceFile(name, ...more);
      libraryFiles.set(name, file);
      return file;
    },
  };
}

/** Compiles files; emits them to `outDir` if it is given. */
export function compile(
  files: readonly string[],
  options: ts.CompilerOptions = libraries.browser,
): readonly Complaint[] {
  const { outDir } = options;
  const all = { ...strict, ...options, ...(outDir === undefined && { noEmit: true }) };
  const program = ts.createProgram(files, all, hostOf(all));
  const complaints = ts.getPreEmitDiagnostics(program);
  if (outDir !== undefined) program.emit();
  return complaints.map(({ file, messageText }) => ({
    file: file?.fileName ?? '',
    text: ts.flattenDiagnosticMessageText(messageText, '\n'),
  }));
}
