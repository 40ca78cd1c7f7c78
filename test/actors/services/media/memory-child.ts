import { aGateway } from '../../../support/gateway.ts';
import { embedded } from '../../../support/stores.ts';

/** A gateway in a process of its own, for memory.test.ts; it ends with its parent. */
const ends: (() => unknown)[] = [];
const gateway = await aGateway(
  { after: (end) => void ends.unshift(end as () => unknown) },
  { kind: embedded, config: JSON.parse(process.argv[2] ?? '{}') },
);
const { tokens } = await gateway.signUp();
process.send?.({ url: gateway.node.url, token: tokens.token });
// What is measured is what a transfer needs, not how late the collector comes.
setInterval(() => globalThis.gc?.({ type: 'minor' }), 20).unref();
process.once('disconnect', async () => {
  for (const end of ends) await end();
  process.exit(0);
});
