import { writeFileSync } from 'node:fs';

/**
 * A reporter of the test runner. Writes to the file in the variable TEST_REPORT, as JSON: errors outside of tests, and
 * per test file its path, whether it shares a process with others, its number of passed tests, and its failures.
 */
// biome-ignore lint/style/noDefaultExport: the test runner creates an instance of the default export
export default class Report {
  onTestRunEnd(modules, errors) {
    const report = { errors: errors.map(firstLine), files: modules.map(fileOf) };
    writeFileSync(process.env.TEST_REPORT, JSON.stringify(report));
  }
}

function fileOf(module) {
  const path = module.relativeModuleId;
  const tests = [...module.children.allTests()];
  const failed = [module, ...module.children.allSuites(), ...tests].flatMap((part) => {
    const errors = part.type === 'test' ? (part.result().errors ?? []) : part.errors();
    return errors.slice(0, 1).map((error) => ({
      name: part === module ? path : `${path}: ${part.fullName}`,
      why: firstLine(error),
    }));
  });
  return {
    path,
    isShared: !module.project.config.isolate,
    passed: tests.filter((test) => test.result().state === 'passed').length,
    failed:
      module.state() === 'failed' && failed.length === 0 ? [{ name: path, why: 'failed' }] : failed,
  };
}

function firstLine({ message = '' }) {
  return message.split('\n')[0].slice(0, 160);
}
