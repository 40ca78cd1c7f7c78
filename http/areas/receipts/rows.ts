import Joi from 'joi';
import { refusal } from '../../../actors/domain/refusals.ts';
import type { GroupRecord } from '../../../actors/network/groups.ts';
import { MAX_RECEIPT_MEMBERS } from '../../../actors/network/member-receipts.ts';
import { receiptsOf } from '../../../actors/services/messaging/member-receipts.ts';
import type { People } from '../../../actors/services/people/people.ts';
import type { Groups } from '../../../store/groups/groups.ts';
import type { MemberReceipts } from '../../../store/messaging/member-receipts.ts';
import type { Messages } from '../../../store/messaging/messages.ts';
import { type Area, rowsFor } from '../../core/row.ts';
import { Ulid } from '../../core/schemas.ts';
import { messageAt } from '../messages/access.ts';
import { inSession } from '../params.ts';
import { ReceiptSchema } from './schemas.ts';

interface ReceiptServices {
  readonly messages: Pick<Messages, 'find'>;
  readonly memberReceipts: MemberReceipts;
  readonly groups: Pick<Groups<GroupRecord>, 'find'>;
  readonly persons: People;
}

const row = rowsFor<ReceiptServices>();

export const receipts: Area<ReceiptServices> = {
  name: 'receipts',
  about: 'Delivery, read and played receipts of messages',
  rows: [
    row({
      id: 'getReceipts',
      method: 'GET',
      path: '/v1/sessions/{sessionId}/messages/{messageId}/receipts',
      summary: "List a message's receipts",
      about:
        'List when each recipient got, read and played a sent message, if their phone reports it. Members of a group are listed individually, latest first. Available for the last 100 ' +
        'messages of a chat; NOT_FOUND for older ones, and in groups of more than 1,024 members',
      access: 'bearer',
      deviceKeys: true,
      agents: true,
      params: inSession.keys({ messageId: Ulid.required() }),
      status: 200,
      list: { of: 'receipts' },
      returns: Joi.object({ receipts: Joi.array().items(ReceiptSchema).required() }),
      async run(services, call) {
        const message = await messageAt(services, call);
        const group = message.chat_id.endsWith('@g.us') ? await services.groups.find(call.device, message.chat_id) : null;
        const isTooLarge = (group?.record.size ?? 0) > MAX_RECEIPT_MEMBERS;
        if (isTooLarge || !(await services.memberReceipts.isRecent(message))) throw refusal('NOT_FOUND');
        return { receipts: message.direction === 'outbound' ? await receiptsOf(services, message, group?.record.members) : [] };
      },
    }),
  ],
};
