import type { BinaryNode } from '../library.ts';
import { ask, child, el } from '../questions/query.ts';
import { attempt, type ConnectionContext } from '../session/connection-context.ts';

const DIRTY = 'CB:ib,,dirty';
const KINDS: ReadonlySet<unknown> = new Set(['groups', 'communities']);

/** Replaces the library's handler, which requests all groups at every notice. */
export function handleStaleGroups(context: ConnectionContext): void {
  const { ws } = context.socket;
  const others = ws.listeners(DIRTY);
  ws.removeAllListeners(DIRTY);
  ws.on(DIRTY, (node: BinaryNode) => {
    const { type, timestamp } = child(node, 'dirty')?.attrs ?? {};
    if (!KINDS.has(type)) return attempt(context, 'a notice', () => Promise.all(others.map(async (receive) => receive(node))));
    context.account.groups.clear();
    const known = el('clean', { type, timestamp });
    const acknowledge = (): void =>
      attempt(context, 'an ack', () => ask(context, { xmlns: 'urn:xmpp:whatsapp:dirty', type: 'set' }, [known]));
    context.keep({ type: 'groupsStale', token: 'stale groups' }, acknowledge);
  });
}
