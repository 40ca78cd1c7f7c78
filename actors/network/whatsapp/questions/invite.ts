import type { SentInvite } from '../../groups.ts';
import { userJid } from '../../jid.ts';
import type { InputOf } from '../../questions.ts';
import type { ConnectionContext } from '../session/connection-context.ts';

/** What the network did not answer. */
const NO_ANSWER = 408;

/** Sends each of them an invitation, as a message; answers with what number the network refused it. */
export async function invite(
  { socket, library, log }: ConnectionContext,
  { id, subject, invites }: InputOf<'groups.invitePeople'>,
): Promise<readonly SentInvite[]> {
  const sent: SentInvite[] = [];
  for (const { phone, code, expiresAt } of invites) {
    const inviteExpiration = Math.floor(expiresAt / 1_000);
    const groupInviteMessage = { groupJid: id, groupName: subject, inviteCode: code, inviteExpiration, caption: subject };
    const messageId = library.generateMessageIDV2();
    try {
      const [ack] = await Promise.all([
        socket.waitForMessage<{ readonly attrs: Readonly<Record<string, string>> }>(messageId, ANSWERED_WITHIN_MS),
        socket.relayMessage(userJid(phone), { groupInviteMessage }, { messageId }),
      ]);
      sent.push({ phone, code: ack ? Number(ack.attrs['error'] ?? 0) || null : NO_ANSWER });
    } catch (cause) {
      log.debug({ err: cause }, 'an invitation could not be written');
      sent.push({ phone, code: NO_ANSWER });
    }
  }
  return sent;
}

const ANSWERED_WITHIN_MS = 5_000;
