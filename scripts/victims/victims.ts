import { keysOf } from '../../runtime/keys-of.ts';
import { isOneOf } from '../../runtime/shapes.ts';

type KeepCompiled = () => void;

interface Victim {
  readonly main: (keepCompiled: KeepCompiled) => Promise<void>;
}

/** Each gateway sends `{url}` to its parent once it is listening, and exits when its parent does. */
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

export async function startVictim(name: string, keepCompiled: KeepCompiled): Promise<void> {
  if (!isOneOf(keysOf(VICTIMS), name)) throw new RangeError(`there is no victim ${name}`);
  const { main }: Victim = await VICTIMS[name]();
  await main(keepCompiled);
}
