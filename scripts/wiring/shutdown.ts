import type { Node } from './node.ts';

/** Ends the process when it should: SIGTERM and SIGINT drain, a second one ends at once, and a node whose name was taken gives way. */
export function exitOnSignal(node: Node): void {
  let isLeaving = false;
  const leave = (exitCode: number): void => {
    isLeaving = true;
    node.stop().then(
      () => {
        process.stderr.write('The gateway has stopped.\n');
        process.exit(exitCode);
      },
      (cause) => fail(cause),
    );
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => {
      if (isLeaving) process.exit(1);
      process.stderr.write('The gateway stops: what is on the wire is finished first. Once more ends it at once.\n');
      leave(0);
    });
  void node.replaced.then(() => {
    if (isLeaving) return;
    process.stderr.write('Another process was started under the NODE_ID of this one, which gives way.\n');
    leave(1);
  });
}

/** Says why in one line, and ends the process. */
export function fail(cause: unknown): never {
  process.stderr.write(`${cause instanceof Error ? cause.message : String(cause)}\n`);
  process.exit(1);
}
