import type { OutgoingMessage, QuotedMessage } from '../../port.ts';
import type { proto } from '../library.ts';
import type { ConnectionContext } from '../session/connection-context.ts';
import { compose } from './compose.ts';

/** Quotes a message even if it no longer exists here, because phones that have it can still show it. */
export async function quoteOf(context: ConnectionContext, { to, netId: by }: OutgoingMessage, netId: string): Promise<proto.IContextInfo> {
  const found = await context.quoted(netId, to, by);
  const inGroup = to.endsWith('@g.us');
  if (!found) return { stanzaId: netId, ...(!inGroup && { participant: to }), quotedMessage: { conversation: '' } };
  const participant = inGroup || found.from === null ? authorOf(context, to, found) : to;
  const { messageContextInfo: _, ...said } = compose(context.creds, { netId, content: found.content }, null).message;
  return { stanzaId: netId, participant, quotedMessage: said };
}

function authorOf({ library, creds, account }: ConnectionContext, to: string, { from, fromAlt }: QuotedMessage): string {
  const isHidden = library.isLidUser(to) || account.groups.get(to)?.addressingMode === 'lid';
  const [number, hidden] = from === null ? [creds.me.id, creds.me.lid] : [from, fromAlt];
  return library.jidNormalizedUser((isHidden && hidden) || number);
}
