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
      'failed_messages, webhook: of the last 24 hours; waiting_chats: the customer wrote last, chats set aside for more than seven days among them; quota: 90% of the month are used; setup: steps left',
    ),
  count: Joi.number().integer().min(0).required().description('At most 200 of a kind; of `quota` the messages left'),
  oldest_at: Timestamp.allow(null).required(),
  ref: Joi.object({ kind: Joi.string().valid('session', 'store', 'webhook', 'document').required(), id: Joi.string().required() })
    .allow(null)
    .required()
    .description('The record that it is about'),
}).meta({ title: 'AttentionItem' });

const row = rowsFor<AttentionServices>();

export const attention: Area<AttentionServices> = {
  name: 'attention',
  about: 'What needs a person now',
  rows: [
    row({
      id: 'getAttention',
      method: 'GET',
      path: '/v1/attention',
      heavy: true,
      list: { of: 'items' },
      summary: 'List what needs attention',
      about: 'What needs a person now. Agents get chats in their sight, keys restricted to devices what concerns those',
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
