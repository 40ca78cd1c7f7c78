import { keysOf } from '../../runtime/keys-of.ts';
import { isOneOf } from '../../runtime/shapes.ts';

/** Keeps what was compiled so far, which spares the next ones most of their start. To be called once, when they have done what they mostly do. */
type KeepCompiled = () => void;

interface Victim {
  readonly main: (keepCompiled: KeepCompiled) => Promise<void>;
}

/** Gateways to be killed, by name. Each tells its parent `{url}` when it listens, and dies with it. */
const VICTIMS = {
  sandbox: () => import('../faults/victim.ts'),
  whatsapp: () => import('../faults/whatsapp/victim.ts'),
  webhooks: () => import('../faults/webhook-victim.ts'),
  audit: () => import('../faults/audit-victim.ts'),
  payments: () => import('../faults/billing/payment-victim.ts'),
  erasure: () => import('../faults/privacy/erasure-victim.ts'),
  chaos: () => import('../chaos/victim.ts'),
  guard: () => import('../guard/victim.ts'),
  readers: () => import('../guard/reader-victim.ts'),
} as const satisfies Readonly<Record<string, () => Promise<Victim>>>;

/** Throws RangeError for any other name. */
export async function startVictim(name: string, keepCompiled: KeepCompiled): Promise<void> {
  if (!isOneOf(keysOf(VICTIMS), name)) throw new RangeError(`there is no victim ${name}`);
  const { main }: Victim = await VICTIMS[name]();
  await main(keepCompiled);
}
