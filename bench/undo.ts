const undos = new Set<() => void>();

process.on('exit', () => {
  for (const undo of [...undos].reverse()) undo();
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => process.exit(130));

/**
 * Calls `undo` when this process ends, also after errors and signals; the last one registered is called first.
 *
 * @returns a function that calls it now instead
 */
export function undoAtExit(undo: () => void): () => void {
  undos.add(undo);
  return () => {
    undos.delete(undo);
    undo();
  };
}
