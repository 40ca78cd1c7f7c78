import { connectSandbox } from '../../../actors/network/sandbox/remote-sandbox.ts';
import { systemClock } from '../../../runtime/clock.ts';
import type { Collection, Doc } from '../../../store/port.ts';
import { NEVER_FULL } from '../../../test/support/limits.ts';
import { readConfig } from '../../wiring/config.ts';
import { openLog } from '../../wiring/log.ts';
import { openStore, startNode } from '../../wiring/node.ts';
import { DISARMED } from '../processes.ts';
import { replacingStore } from '../replacing-store.ts';

const WRITES = ['insertOne', 'insertMany', 'updateOne', 'updateMany', 'findOneAndUpdate'] as const;

/** Distinguishes a write of the account from the removal of completed steps from its outbox. */
const labelOf = (name: string, args: readonly unknown[]): string =>
  name === 'billing_accounts' && !JSON.stringify(args).includes('"funding"') ? 'billing_outbox' : name;

/** `before:invoices:2` kills this process before its second write to invoices; '' disarms. */
export async function main(keepCompiled: () => void): Promise<void> {
  process.on('disconnect', () => process.exit(1));
  const config = readConfig(process.env);
  let armed = { when: '', name: '', left: 0 };
  process.on('message', (order) => {
    const [when = '', name = '', nth = '1'] = String(order).split(':');
    armed = { when, name, left: Number(nth) };
    if (when === '') process.send?.(DISARMED);
  });
  const passes = (when: string, name: string, isLast: boolean): void => {
    if (armed.when !== when || armed.name !== name || !isLast) return;
    process.kill(process.pid, 'SIGKILL');
  };

  function watched<T extends Doc>(name: string, raw: Collection<T>): Partial<Collection<T>> {
    const members = WRITES.map((write) => [
      write,
      async (...args: unknown[]): Promise<unknown> => {
        const label = labelOf(name, args);
        if (armed.name === label) armed.left -= 1;
        const isLast = armed.left === 0;
        passes('before', label, isLast);
        const answer: unknown = await Reflect.apply(raw[write], raw, args);
        passes('after', label, isLast);
        return answer;
      },
    ]);
    return Object.fromEntries(members);
  }

  const opened = await openStore(config, openLog({ level: 'error', base: {} }));
  const network = connectSandbox({ url: config.sandbox_url ?? '', clock: systemClock });
  const node = await startNode(config, { store: replacingStore(opened, watched), network, limits: NEVER_FULL });
  process.send?.({ url: node.url });
  keepCompiled();
}
