import Joi from 'joi';
import { refusal } from '../../../actors/domain/refusals.ts';
import type { LabelledChats } from '../../../actors/network/labels.ts';
import { describeChats } from '../../../actors/services/account/account-facts.ts';
import type { Visibility } from '../../../actors/services/conversations/visibility.ts';
import type { People } from '../../../actors/services/people/people.ts';
import type { DeviceRow } from '../../../store/devices/devices.ts';
import { type Area, rowsFor } from '../../core/row.ts';
import { Done } from '../../core/schemas.ts';
import { nextInList } from '../../core/whole-lists.ts';
import { type AskingServices, askNetwork, NETWORK_REFUSALS } from '../network-features/ask.ts';
import { type IdentityServices, inSession, resolveChatOf, viewerOf } from '../params.ts';
import { LabelledChatSchema, LabelSchema, labelChanges, newLabel } from './schemas.ts';

export interface ChatLabelServices extends AskingServices, IdentityServices {
  readonly persons: People;
  readonly visibility: Pick<Visibility, 'filter'>;
}

const LabelId = Joi.string().pattern(/^\d{1,18}$/);
const inLabel = inSession.keys({ labelId: LabelId.required().description('The label').example('3') });
const onChat = inLabel.keys({
  chatId: Joi.string().min(1).max(64).required().description('A JID or a phone number').example('6281234567890@s.whatsapp.net'),
});

const row = rowsFor<ChatLabelServices>();

async function find(services: ChatLabelServices, device: DeviceRow, id: string): Promise<LabelledChats> {
  const found = (await askNetwork(services, device, 'labels.list', {})).find((label) => label.id === id);
  if (!found) throw refusal('NOT_FOUND');
  return found;
}

/** Labels that the phone's own app puts on chats. They are separate from the inbox's tags. */
export const chatLabels: Area<ChatLabelServices> = {
  name: 'chat labels',
  about: 'Chat labels, which are shared by the phone and all devices of a number',
  rows: [
    row({
      id: 'listChatLabels',
      list: { of: 'labels', by: ['id'] },
      method: 'GET',
      path: '/v1/sessions/{sessionId}/labels',
      summary: 'List chat labels',
      access: 'bearer',
      deviceKeys: true,
      agents: true,
      params: inSession,
      status: 200,
      returns: Joi.object({ ...nextInList, labels: Joi.array().items(LabelSchema).required() }),
      refuses: NETWORK_REFUSALS,
      async run(services, { device }) {
        const found = await askNetwork(services, device, 'labels.list', {});
        return { labels: found.map(({ id, name, color }) => ({ id, name, color })) };
      },
    }),
    row({
      id: 'createChatLabel',
      method: 'POST',
      path: '/v1/sessions/{sessionId}/labels',
      summary: 'Create a chat label',
      audit: { action: 'chat_label.create' },
      stepUp: { none: 'as on the phone; deletes no stored data' },
      access: 'bearer',
      deviceKeys: true,
      params: inSession,
      body: newLabel,
      status: 201,
      returns: LabelSchema,
      refuses: NETWORK_REFUSALS,
      run: (services, { device, body }) => askNetwork(services, device, 'labels.create', body),
    }),
    row({
      id: 'updateChatLabel',
      method: 'PATCH',
      path: '/v1/sessions/{sessionId}/labels/{labelId}',
      summary: 'Update a chat label',
      audit: { action: 'chat_label.update' },
      stepUp: { none: 'as on the phone; deletes no stored data' },
      access: 'bearer',
      deviceKeys: true,
      params: inLabel,
      body: labelChanges,
      status: 200,
      returns: LabelSchema,
      refuses: NETWORK_REFUSALS,
      run: (services, { device, params, body }) => askNetwork(services, device, 'labels.update', { id: params.labelId, ...body }),
    }),
    row({
      id: 'deleteChatLabel',
      method: 'DELETE',
      path: '/v1/sessions/{sessionId}/labels/{labelId}',
      summary: 'Delete a chat label',
      audit: { action: 'chat_label.delete' },
      stepUp: { none: 'as on the phone; deletes no stored data' },
      access: 'bearer',
      deviceKeys: true,
      params: inLabel,
      status: 200,
      returns: Done,
      refuses: NETWORK_REFUSALS,
      async run(services, { device, params }) {
        await askNetwork(services, device, 'labels.delete', { id: params.labelId });
        return { ok: true };
      },
    }),
    row({
      id: 'listLabelledChats',
      list: { of: 'chats', by: ['chat_id'] },
      method: 'GET',
      path: '/v1/sessions/{sessionId}/labels/{labelId}/chats',
      summary: 'List labelled chats',
      access: 'bearer',
      deviceKeys: true,
      agents: true,
      params: inLabel,
      status: 200,
      returns: Joi.object({ ...nextInList, chats: Joi.array().items(LabelledChatSchema).required() }),
      refuses: NETWORK_REFUSALS,
      async run(services, { device, caller, params }) {
        const { chats } = await find(services, device, params.labelId);
        const described = await describeChats(services.persons, caller.tenantId, chats);
        const keep = services.visibility.filter<(typeof described)[number]>(viewerOf(caller), device, ({ chat_id }) => chat_id);
        return { chats: keep ? await keep(described) : described };
      },
    }),
    row({
      id: 'labelChat',
      method: 'PUT',
      path: '/v1/sessions/{sessionId}/labels/{labelId}/chats/{chatId}',
      summary: 'Label a chat',
      audit: { action: 'chat_label.assign' },
      stepUp: { none: 'as on the phone; deletes no stored data' },
      access: 'bearer',
      deviceKeys: true,
      params: onChat,
      status: 200,
      returns: Done,
      refuses: [...NETWORK_REFUSALS, 'INVALID_JID', 'INVALID_NUMBER'],
      async run(services, { device, caller, params }) {
        const chat = await resolveChatOf(services, caller, params.chatId);
        await askNetwork(services, device, 'labels.mark', { id: params.labelId, chat, labelled: true });
        return { ok: true };
      },
    }),
    row({
      id: 'unlabelChat',
      method: 'DELETE',
      path: '/v1/sessions/{sessionId}/labels/{labelId}/chats/{chatId}',
      summary: 'Remove a chat label',
      audit: { action: 'chat_label.unassign' },
      stepUp: { none: 'as on the phone; deletes no stored data' },
      access: 'bearer',
      deviceKeys: true,
      params: onChat,
      status: 200,
      returns: Done,
      refuses: [...NETWORK_REFUSALS, 'INVALID_JID', 'INVALID_NUMBER'],
      async run(services, { device, caller, params }) {
        const chat = await resolveChatOf(services, caller, params.chatId);
        await askNetwork(services, device, 'labels.mark', { id: params.labelId, chat, labelled: false });
        return { ok: true };
      },
    }),
  ],
};
