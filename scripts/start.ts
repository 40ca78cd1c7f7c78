import { readConfig } from './config.ts';
import { fail, leaveWhenTold } from './leave.ts';
import { type Node, startNode } from './node.ts';

/** `npm start`: one node, until SIGTERM or SIGINT. */
async function main(): Promise<void> {
  const node = await startNode(readConfig(process.env));
  greet(node);
  leaveWhenTold(node);
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

await main().catch(fail);
