import Joi from 'joi';
import type { IdentityResolver } from '../../actors/services/identities/identities.ts';
import type { NumberReader } from '../../actors/services/identities/number-reader.ts';
import type { FileViewer } from '../../actors/services/media/file-access.ts';
import type { SendOrder } from '../../actors/services/messaging/sending.ts';
import type { DeviceRow } from '../../store/devices/devices.ts';
import type { Caller } from '../core/row.ts';
import { Ulid } from '../core/schemas.ts';

export const inSession = Joi.object({ sessionId: Ulid.required().description('The device') });

export const inChat = inSession.keys({
  chatId: Joi.string().min(1).max(64).required().description('A JID or a phone number').example('6281234567890@s.whatsapp.net'),
});

export const viewerOf = ({ role, agentId }: Caller): string | null => (role === 'agent' ? agentId : null);

export async function chatIn(services: IdentityServices, call: AtChatCall) {
  const { device, caller, params } = call;
  return { device, chatId: await resolveChatOf(services, caller, params.chatId), seenBy: viewerOf(caller) };
}

interface AtChatCall {
  readonly device: DeviceRow;
  readonly caller: Caller;
  readonly params: { readonly chatId: string };
}

export interface NumberServices {
  readonly numbers: NumberReader;
}

export interface IdentityServices extends NumberServices {
  readonly people: Pick<IdentityResolver, 'resolve'>;
}

/** Replaces a hidden address (`…@lid`) with the person's number if the number is known. */
export async function resolveChatOf(
  { people, numbers }: IdentityServices,
  { tenantId, ...caller }: Caller,
  text: string,
  callingCode = caller.callingCode,
): Promise<string> {
  return people.resolve(tenantId, await numbers.chat({ tenantId, callingCode }, text));
}

export const writerOf = ({ key, agentId }: Caller): Pick<SendOrder, 'writtenBy' | 'madeBy'> =>
  key === null ? { writtenBy: agentId } : { madeBy: { kind: 'api_key', id: key.id } };

export const fileViewer = ({ tenantId, key, role, agentId }: Caller): FileViewer => ({
  tenantId,
  sessionIds: key?.sessionIds ?? null,
  agentId: role === 'agent' ? agentId : null,
});
