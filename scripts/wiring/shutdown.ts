import type { Node } from './node.ts';

/** SIGTERM and SIGINT drain the node. A second signal stops it immediately. */
export function exitOnSignal(starting: Promise<Node>): void {
  let isLeaving = false;
  const leave = async (exitCode: number): Promise<never> => {
    isLeaving = true;
    const node = await starting;
    await node.stop();
    process.stderr.write('The gateway has stopped.\n');
    process.exit(exitCode);
  };
  const giveWay = async (): Promise<void> => {
    const { replaced } = await starting;
    await replaced;
    if (isLeaving) return;
    process.stderr.write('Another process uses the NODE_ID of this one, or uses this store without this REDIS_URL. This process stops.\n');
    await leave(1);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => {
      if (isLeaving) process.exit(1);
      process.stderr.write('The gateway is stopping after the work in progress. Send the signal again to stop it at once.\n');
      leave(0).catch(fail);
    });
  giveWay().catch(fail);
}

export function fail(cause: unknown): never {
  process.stderr.write(`${cause instanceof Error ? cause.message : String(cause)}\n`);
  process.exit(1);
}
