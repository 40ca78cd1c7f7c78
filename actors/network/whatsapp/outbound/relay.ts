import { STORIES } from '../../jid.ts';
import { SEALED_AS } from '../sealed-as.ts';
import type { ConnectionContext } from '../session/connection-context.ts';
import type { Address } from './address.ts';
import { STATUS_SETTING } from './audience.ts';
import type { Composed } from './compose.ts';
import { envelopeOf } from './envelope.ts';
import { reportingNodes } from './reporting.ts';
import { proofUnlessToken } from './tokens.ts';
import { writeWarm } from './warm.ts';

export type Composing = (to: string) => Composed | Promise<Composed>;

export interface Way {
  readonly chat: string;
  readonly address: Address;
  readonly composing: Composing;
  readonly isSecond: boolean;
}

export async function relay(context: ConnectionContext, netId: string, { to, lid, pn }: Address, composed: Composed): Promise<void> {
  const { message, attributes = {}, pollType } = composed;
  // Our own phone finds the chat by the person's number.
  const recipient = to === lid ? pn : null;
  if (await writeWarm(context, { netId, to, recipient, composed })) return;
  const proof = await proofUnlessToken(context, to, lid);
  const { kind, seal } = envelopeOf(context.library, message);
  await context.socket.relayMessage(to, message, {
    messageId: netId,
    additionalAttributes: {
      ...{ type: kind, ...(seal['mediatype'] !== undefined && { [SEALED_AS]: seal['mediatype'] }), ...attributes },
      ...(recipient !== null && { peer_recipient_pn: recipient }),
    },
    additionalNodes: [
      ...proof,
      ...reportingNodes(context, { netId, to, message }),
      ...(pollType ? [{ tag: 'meta', attrs: { polltype: pollType } }] : []),
    ],
  });
}

export async function relayStatus(
  { socket }: ConnectionContext,
  netId: string,
  audience: readonly string[],
  { message, attributes = {} }: Composed,
): Promise<void> {
  const how = { messageId: netId, additionalAttributes: { ...attributes }, additionalNodes: [STATUS_SETTING] };
  await socket.relayMessage(STORIES, message, { ...how, statusJidList: [...audience] });
}
