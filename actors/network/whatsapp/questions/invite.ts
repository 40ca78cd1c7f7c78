import { userJid } from '../../jid.ts';
import type { InputOf } from '../../questions.ts';
import type { ConnectionContext } from '../session/connection-context.ts';

/** Sends each of them an invitation, as a message; answers who got one. */
export async function invite(
  { socket, library, log }: ConnectionContext,
  { id, subject, invites }: InputOf<'groups.invitePeople'>,
): Promise<readonly string[]> {
  const invited: string[] = [];
  for (const { phone, code, expiresAt } of invites) {
    const inviteExpiration = Math.floor(expiresAt / 1_000);
    const groupInviteMessage = { groupJid: id, groupName: subject, inviteCode: code, inviteExpiration, caption: subject };
    try {
      await socket.relayMessage(userJid(phone), { groupInviteMessage }, { messageId: library.generateMessageIDV2() });
      invited.push(phone);
    } catch (cause) {
      log.debug({ err: cause }, 'an invitation could not be written');
    }
  }
  return invited;
}
