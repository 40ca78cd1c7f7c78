import { before } from '../../../../runtime/invariant.ts';
import type { KeptEvent } from '../../port.ts';
import type { ConnectionContext } from '../session/connection-context.ts';

/** Tells once a process that a hidden address and a number are the same person; `stored` runs when the receiver knows it. */
export function introduce(
  { library, account, keep }: ConnectionContext,
  { lid, pn }: { lid: string; pn: string },
  stored: () => void = () => {},
): void {
  const [hidden, number] = [library.jidNormalizedUser(lid), library.jidNormalizedUser(pn)];
  if (account.introduced.get(hidden) === number) return stored();
  const event: KeptEvent = { type: 'identity', token: `identity ${hidden}`, lid: hidden, phone: before(number, '@') };
  keep(event, () => {
    account.introduced.set(hidden, number);
    stored();
  });
}
