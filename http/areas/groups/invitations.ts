import { refusal } from '../../../actors/domain/refusals.ts';
import type { MemberResult, SentInvite } from '../../../actors/network/groups.ts';
import { userJid } from '../../../actors/network/jid.ts';
import type { ConsentCheck } from '../../../actors/services/consent/check.ts';
import type { Quota } from '../../../actors/services/messaging/quota.ts';
import { monthOf } from '../../../actors/services/messaging/sending.ts';
import { asError, codeOf, Refusal } from '../../../runtime/errors.ts';
import type { Caller } from '../../core/row.ts';
import { askNetwork } from '../network-features/ask.ts';
import type { AtDevice, GroupServices } from './services.ts';

export interface InvitationServices extends GroupServices {
  readonly consentCheck: ConsentCheck;
  readonly quota: Quota;
}

/** Invitations are messages to people who may never have written, without the pauses of others: few at a time. */
const MAX_INVITATIONS = 20;

const NO_ANSWER = 408;

const NO_SEND = {
  en: 'an invitation is a message; this key may not send any',
  id: 'undangan adalah pesan; kunci ini tidak boleh mengirim pesan',
};
const LOST = {
  en: 'the members were changed; whether the invitations were sent is not known',
  id: 'anggota sudah diubah; tidak diketahui apakah undangan sudah terkirim',
};

/** Refuses FORBIDDEN for a key without the scope `send`. */
export function expectMayInvite({ key }: Caller): void {
  if (key !== null && !key.scopes.includes('send')) throw refusal('FORBIDDEN', { reason: NO_SEND });
}

/**
 * Invites those who can only be invited, the first MAX_INVITATIONS of them, each as a message of the quota; answers what became of each
 * one. Those who opted out get none. What was changed before stays, so that a refusal of this is not one of the whole; but DEVICE_TIMEOUT where it
 * is not known what was sent.
 */
export async function invited(
  services: InvitationServices,
  { caller, device, now }: AtDevice & { readonly caller: Caller },
  id: string,
  results: readonly MemberResult[],
): Promise<readonly SentInvite[]> {
  const { quota } = services;
  const { tenantId, plan } = caller;
  const month = monthOf(now, plan.zone);
  const limit = plan.overage ? null : plan.messages;
  const invites = [];
  for (const { person, invite } of results) {
    const { phone } = person;
    if (!invite || phone === null || (await isOptedOut(services, tenantId, phone))) continue;
    if (!(await quota.take(tenantId, month, 1, limit))) break;
    if (invites.push({ phone, ...invite }) === MAX_INVITATIONS) break;
  }
  if (invites.length === 0) return [];
  const subject = (await services.groups.find(device, id))?.subject ?? '';
  try {
    const got = await askNetwork(services, device, 'groups.invitePeople', { id, subject, invites });
    // What was not answered may have arrived.
    await quota.giveBack(tenantId, month, got.filter(({ code }) => code !== null && code !== NO_ANSWER).length);
    return got;
  } catch (cause) {
    if (codeOf(cause) === 'DEVICE_TIMEOUT') throw refusal('DEVICE_TIMEOUT', { reason: LOST });
    await quota.giveBack(tenantId, month, invites.length);
    const { network } = cause instanceof Refusal ? cause.details : {};
    return typeof network === 'number' ? invites.map(({ phone }) => ({ phone, code: network })) : [];
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
