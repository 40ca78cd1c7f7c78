import { refusal } from '../../../actors/domain/refusals.ts';
import type { GroupRecord, MemberResult } from '../../../actors/network/groups.ts';
import { userJid } from '../../../actors/network/jid.ts';
import type { ConsentCheck } from '../../../actors/services/consent/check.ts';
import type { Sending } from '../../../actors/services/messaging/sending.ts';
import { derivedId, momentOfId } from '../../../runtime/derived-ids.ts';
import { asError, codeOf } from '../../../runtime/errors.ts';
import { LANES } from '../../../store/messaging/messages.ts';
import type { Caller } from '../../core/row.ts';
import { writerOf } from '../params.ts';
import type { Invited } from './results.ts';
import type { AtDevice, GroupServices } from './services.ts';

export interface InvitationServices extends GroupServices {
  readonly consentCheck: ConsentCheck;
  readonly sending: Pick<Sending, 'accept'>;
}

/** The limit is low, because invitations may go to strangers and do not count towards the send limit. */
const MAX_INVITATIONS = 20;

const NO_SEND = {
  en: 'an invitation is sent as a message, and this key may not send messages',
  id: 'undangan dikirim sebagai pesan, dan kunci ini tidak boleh mengirim pesan',
};

export function expectMayInvite({ key }: Caller): void {
  if (key !== null && !key.scopes.includes('send')) throw refusal('FORBIDDEN', { reason: NO_SEND });
}

type Inviting = AtDevice & { readonly caller: Caller };

/** A refused invitation does not fail the call. Calls with the same `cause` invite each person once. */
export async function invited(
  services: InvitationServices,
  call: Inviting,
  { group, cause }: { readonly group: Pick<GroupRecord, 'id' | 'subject'>; readonly cause: string },
  results: readonly MemberResult[],
): Promise<readonly Invited[]> {
  const { id, subject } = group;
  const sent: Invited[] = [];
  for (const { person, invite } of results) {
    const { phone } = person;
    if (!invite || phone === null || (await isOptedOut(services, call.caller.tenantId, phone))) continue;
    const accepted = await acceptedOf(services, call, { phone, cause, invite: { group_id: id, subject, ...factsOf(invite) } });
    if (!accepted || sent.push({ phone, ...accepted }) === MAX_INVITATIONS) break;
  }
  return sent;
}

const factsOf = ({ code, expiresAt }: NonNullable<MemberResult['invite']>) => ({ code, expires_at: expiresAt });

interface Invitation {
  readonly phone: string;
  readonly cause: string;
  readonly invite: { readonly group_id: string; readonly subject: string; readonly code: string; readonly expires_at: number };
}

/** Returns null if too many messages are already waiting for the device. */
async function acceptedOf({ sending }: InvitationServices, { caller, device, now }: Inviting, { phone, cause, invite }: Invitation) {
  const order = {
    ...({ chat: userJid(phone), message_type: 'text', body: invite.subject, parts: { invite }, quotes: null } as const),
    ...{ lane: LANES.reply, priority: 0, id: derivedId(`${cause} ${phone}`, momentOfId(cause)) },
    ...(invite.expires_at > now && { expiresAt: invite.expires_at }),
    ...writerOf(caller),
  };
  try {
    return await sending.accept(device, caller.plan, order, now);
  } catch (refused) {
    if (codeOf(refused) !== 'OVERLOADED') throw asError(refused);
    return null;
  }
}

async function isOptedOut({ consentCheck }: InvitationServices, tenantId: string, phone: string): Promise<boolean> {
  try {
    return (await consentCheck.admit(tenantId, userJid(phone))).isOptedOut;
  } catch (cause) {
    if (codeOf(cause) !== 'RECIPIENT_OPTED_OUT') throw asError(cause);
    return true;
  }
}
