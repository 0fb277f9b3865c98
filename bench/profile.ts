/** CPU and memory of a process since its start. */
export interface Reading {
  readonly userMicros: number;
  readonly systemMicros: number;
  readonly residentBytes: number;
}

/** A function as the profiler names it. */
export interface CallFrame {
  readonly functionName: string;
}

/** Samples of a call tree; `samples` are ids of nodes, `timeDeltas` microseconds before each. */
export interface Profile {
  readonly nodes: readonly {
    readonly id: number;
    readonly children: readonly number[];
    readonly frame: CallFrame & { readonly place: string };
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

type Node = Profile['nodes'][number];

const asleep = '(idle)';
const mostSelf = 25;
const mostTotal = 25;

/**
 * Says where the time of a profile went: functions by their own time, project functions with all that they call,
 * and sums by origin. All in microseconds a request and as a share of the time that was not idle.
 *
 * @param requests answered while it was taken
 */
export function describeProfile({ nodes, samples, timeDeltas }: Profile, requests: number): string {
  const ownMicros = new Map<number, number>();
  for (const [at, id] of samples.entries())
    ownMicros.set(id, (ownMicros.get(id) ?? 0) + (timeDeltas[at] ?? 0));
  const self = new Map<string, number>();
  const origins = new Map<string, number>();
  let busy = 0;
  for (const node of nodes) {
    const micros = ownMicros.get(node.id) ?? 0;
    if (node.frame.functionName === asleep) continue;
    busy += micros;
    add(self, nameOf(node), micros);
    add(origins, originOf(node), micros);
  }
  const total = totals(nodes, ownMicros);
  const list = (title: string, sums: ReadonlyMap<string, number>, most: number) => [
    title,
    ...[...sums]
      .sort((a, b) => b[1] - a[1])
      .slice(0, most)
      .map(([name, micros]) => {
        const perRequest = (micros / requests).toFixed(2).padStart(9);
        return `${perRequest} us ${((100 * micros) / busy).toFixed(1).padStart(5)} %  ${name}`;
      }),
  ];
  return [
    `${requests} requests, ${(busy / requests).toFixed(1)} us each on the main thread`,
    ...list('Own time by origin', origins, mostSelf),
    ...list('Own time by function', self, mostSelf),
    ...list('With all that they call, project functions', total, mostTotal),
  ].join('\n');
}

/** Time of each project function with its callees; a function that calls itself counts once. */
function totals(nodes: readonly Node[], ownMicros: ReadonlyMap<number, number>) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const sums = new Map<string, number>();
  const walk = (node: Node, above: ReadonlySet<string>): number => {
    const name = nameOf(node);
    const inside = new Set(above).add(name);
    let micros = ownMicros.get(node.id) ?? 0;
    for (const id of node.children) {
      const child = byId.get(id);
      if (child !== undefined) micros += walk(child, inside);
    }
    if (originOf(node).startsWith('project') && !above.has(name)) add(sums, name, micros);
    return micros;
  };
  const [root] = nodes;
  if (root !== undefined) walk(root, new Set());
  return sums;
}

function add(sums: Map<string, number>, name: string, micros: number): void {
  sums.set(name, (sums.get(name) ?? 0) + micros);
}

function nameOf({ frame: { functionName, place } }: Node): string {
  return `${functionName || '(anonymous)'} ${place}`.trimEnd();
}

/** Such as `project shared/local`, `node:net`, `lmdb`, `(garbage collector)`. */
function originOf({ frame: { functionName, place } }: Node): string {
  if (place === '') return functionName.startsWith('(') ? functionName : '(native functions)';
  if (place.startsWith('node:')) return place.replace(/:\d+$/, '');
  const parts = place.split('/');
  const isProject = /^(bin|functions|shared|bench)$/.test(parts[0] ?? '');
  return isProject ? `project ${parts.slice(0, 2).join('/')}` : parts.slice(0, 1).join('/');
}
