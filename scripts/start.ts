import { readConfig } from './config.ts';
import { type Node, startNode } from './node.ts';

/** `npm start`: one node, until SIGTERM or SIGINT. */
async function main(): Promise<void> {
  const node = await startNode(readConfig(process.env));
  greet(node);
  let leaving = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (leaving) process.exit(1);
      leaving = true;
      node.stop().then(
        () => process.exit(0),
        (cause) => fail(cause),
      );
    });
  }
}

function greet({ url, secrets, sandbox }: Node): void {
  const lines = [
    `The gateway listens on ${url}`,
    `  reference   ${url}/docs`,
    ...(secrets.adminFile ? [`  operator    X-Admin-Secret is in ${secrets.adminFile}`] : []),
    ...(sandbox ? [`  try next    npm run tour   (in another terminal: a message to a phone, and its answer)`] : []),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

function fail(cause: unknown): never {
  process.stderr.write(`${cause instanceof Error ? cause.message : String(cause)}\n`);
  process.exit(1);
}

await main().catch(fail);
