import Joi from 'joi';
import { type ReceiveDeps, receive, STORE_HEADERS } from '../../../actors/services/stores/receive.ts';
import { type Area, type Bytes, type OpenCall, rowsFor } from '../../core/row.ts';

export interface StoreHooksServices {
  readonly receiving: ReceiveDeps;
}

/** Larger than any order that a store sends, even with hundreds of items. */
const MAX_BYTES = 2 * 1024 * 1024;

const row = rowsFor<StoreHooksServices>();

export const storeHooks: Area<StoreHooksServices> = {
  name: 'store webhooks',
  about: 'Webhooks of connected stores. Not for clients: each call is signed with the secret of the store',
  rows: [
    row({
      id: 'receiveStoreWebhook',
      method: 'POST',
      path: '/hooks/store/{token}',
      direct: true,
      summary: 'Receive a store webhook',
      audit: { none: 'signed by the store; the list of its events shows it' },
      access: 'none',
      params: Joi.object<{ token: string }>({ token: Joi.string().max(100).required() }),
      query: Joi.object<{ webhook_id?: string }>({ webhook_id: Joi.string().max(20) }).unknown(),
      bytes: { types: ['*'], maxBytes: MAX_BYTES },
      headers: STORE_HEADERS,
      status: 200,
      returns: Joi.object({
        ok: Joi.boolean().required(),
        outcome: Joi.string().description('The outcome, if it is known at once'),
      }),
      refuses: ['NOT_FOUND', 'BAD_SIGNATURE', 'NO_SECRET', 'RATE_LIMITED', 'PAYLOAD_TOO_LARGE'],
      run: ({ receiving }, { params, query, body, header, address, now }: OpenCall<{ token: string }, { webhook_id?: string }, Bytes>) =>
        receive(receiving, { token: params.token, raw: body.bytes, type: body.type, webhookId: query.webhook_id, header, address, now }),
    }),
  ],
};
