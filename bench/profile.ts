/** CPU and memory of a process since its start. */
export interface UsageReading {
  readonly userMicros: number;
  readonly systemMicros: number;
  /** CPU time of its child processes and theirs; 0 without /proc. */
  readonly childMicros: number;
  /** Without mapped files, where the system tells them apart. */
  readonly memoryBytes: number;
}

/** Samples of a call tree; `samples` are ids of nodes, `timeDeltas` the microseconds before each. */
export interface Profile {
  readonly nodes: readonly CallNode[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** A function on one path from the root; `source` is file and line in the source, empty for native functions. */
interface CallNode {
  readonly id: number;
  readonly children: readonly number[];
  readonly name: string;
  readonly source: string;
}

interface Sums {
  /** Microseconds in which the thread was neither idle nor profiling. */
  busy: number;
  readonly origins: Map<string, number>;
  readonly own: Map<string, number>;
  readonly total: Map<string, number>;
}

const mostShown = 25;

/**
 * Describes the time of the main thread, in microseconds per request and shares of busy time: sums by origin, functions
 * by own time, and project functions including their callees up to the next await.
 *
 * @param requests served during the profile
 */
export function describeProfile(profile: Profile, requests: number): string {
  const { busy, origins, own, total } = sumUp(profile);
  const list = (title: string, sums: ReadonlyMap<string, number>) => [
    `  ${title}`,
    ...[...sums]
      .sort((a, b) => b[1] - a[1])
      .slice(0, mostShown)
      .map(([name, micros]) => {
        const perRequest = (micros / requests).toFixed(2).padStart(9);
        return `${perRequest} us ${((100 * micros) / busy).toFixed(1).padStart(5)} %  ${name}`;
      }),
  ];
  return [
    `${requests} requests, ${(busy / requests).toFixed(1)} us each on the main thread`,
    ...list('own time by origin', origins),
    ...list('own time by function', own),
    ...list('project functions with all that they call', total),
  ].join('\n');
}

function sumUp({ nodes, samples, timeDeltas }: Profile): Sums {
  const sums: Sums = { busy: 0, origins: new Map(), own: new Map(), total: new Map() };
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const ownMicros = new Map<number, number>();
  for (const [at, id] of samples.entries()) add(ownMicros, id, timeDeltas[at] ?? 0);
  /** Returns the time of a node including its descendants. */
  const walk = (
    node: CallNode,
    parent: CallNode | undefined,
    above: ReadonlySet<string>,
  ): number => {
    if (node.name === '(idle)' || node.source.startsWith('bench/probe')) return 0;
    let micros = ownMicros.get(node.id) ?? 0;
    const name = nameOf(node, parent);
    sums.busy += micros;
    add(sums.own, name, micros);
    add(sums.origins, originOf(node, parent), micros);
    const inside = new Set(above).add(name);
    for (const id of node.children) {
      const child = byId.get(id);
      if (child !== undefined) micros += walk(child, node, inside);
    }
    // a recursive function counts once
    if (isProject(node) && !above.has(name)) add(sums.total, name, micros);
    return micros;
  };
  const [root] = nodes;
  if (root !== undefined) walk(root, undefined, new Set());
  return sums;
}

function add<Key>(sums: Map<Key, number>, key: Key, micros: number): void {
  sums.set(key, (sums.get(key) ?? 0) + micros);
}

/** Names a function; a native one together with its caller. */
function nameOf({ name, source }: CallNode, parent: CallNode | undefined): string {
  if (source !== '') return `${name} ${source}`;
  return parent === undefined || parent.name === '(root)'
    ? name
    : `${name} < ${nameOf(parent, undefined)}`;
}

/**
 * Returns an origin such as `shared/objects`, `node:net`, `lmdb`, `(garbage collector)`; of native code by its caller.
 */
function originOf(node: CallNode, parent: CallNode | undefined): string {
  const { name, source } = node;
  if (source.startsWith('node:')) return source;
  if (source !== '')
    return source
      .split('/')
      .slice(0, isProject(node) ? 2 : 1)
      .join('/');
  return parent === undefined || parent.name === '(root)'
    ? name
    : `native < ${originOf(parent, undefined)}`;
}

function isProject({ source }: CallNode): boolean {
  return /^(bin|functions|shared|bench)\//.test(source);
}
