import Joi from 'joi';
import { ATTENTION_KINDS, type AttentionDeps, type AttentionItem, attentionFor } from '../../../actors/services/attention/attention.ts';
import { type Area, rowsFor } from '../../core/row.ts';
import { Timestamp } from '../../core/schemas.ts';
import { viewerOf } from '../params.ts';

export interface AttentionServices {
  readonly attention: AttentionDeps;
}

const Item = Joi.object<AttentionItem>({
  kind: Joi.string()
    .valid(...ATTENTION_KINDS)
    .required()
    .description(
      '`failed_messages` and `webhook`: failures of the last 24 hours; `waiting_chats`: the customer wrote last, including chats that were snoozed for more than seven days; `quota`: 90% of the monthly quota is used; `setup`: setup steps are left',
    ),
  count: Joi.number().integer().min(0).required().description('Number of items, at most 200 of each kind; for `quota`, the messages left'),
  oldest_at: Timestamp.allow(null).required(),
  ref: Joi.object({ kind: Joi.string().valid('session', 'store', 'webhook', 'document').required(), id: Joi.string().required() })
    .allow(null)
    .required()
    .description('The id of the record that needs attention'),
}).meta({ title: 'AttentionItem' });

const row = rowsFor<AttentionServices>();

export const attention: Area<AttentionServices> = {
  name: 'attention',
  about: 'Items that need attention now',
  rows: [
    row({
      id: 'getAttention',
      method: 'GET',
      path: '/v1/attention',
      heavy: true,
      list: { of: 'items' },
      summary: 'List items that need attention',
      about:
        'List the items that need attention now. Agents get the chats that they can see. A restricted key gets the items of its devices',
      access: 'bearer',
      deviceKeys: true,
      agents: true,
      status: 200,
      returns: Joi.object({ items: Joi.array().items(Item).required() }),
      async run(services, { caller, now }) {
        const { tenantId, key, plan } = caller;
        const asker = { tenantId, agentId: viewerOf(caller), sessionIds: key?.sessionIds ?? null, plan };
        return { items: [...(await attentionFor(services.attention, asker, now))] };
      },
    }),
  ],
};
