import Joi from 'joi';
import { type OfficialReceiveDeps, receiveOfficial, verifyOfficial } from '../../../actors/services/official/receive.ts';
import { type Area, type Bytes, type OpenCall, Raw, rowsFor } from '../../core/row.ts';

export interface OfficialHooksServices {
  readonly officialReceiving: OfficialReceiveDeps;
}

/** Slightly above the platform's own maximum of 3 MB. */
const MAX_BYTES = 4 * 1024 * 1024;

interface Verification {
  readonly 'hub.mode'?: string;
  readonly 'hub.challenge'?: string;
  readonly 'hub.verify_token'?: string;
}

const row = rowsFor<OfficialHooksServices>();
const atHook = Joi.object<{ token: string }>({ token: Joi.string().max(100).required() });

export const officialHooks: Area<OfficialHooksServices> = {
  name: 'official webhooks',
  about: 'The callback of the official platform. Not for clients: each call is signed with the secret of the app',
  rows: [
    row({
      id: 'verifyOfficialWebhook',
      method: 'GET',
      path: '/hooks/official/{token}',
      summary: 'Verify the official callback',
      about: 'The platform calls this once to verify the callback. The response is the challenge that it sent',
      access: 'none',
      params: atHook,
      query: Joi.object<Verification>({
        'hub.mode': Joi.string().max(40),
        'hub.challenge': Joi.string().max(100),
        'hub.verify_token': Joi.string().max(200),
      }).unknown(),
      status: 200,
      produces: ['text/plain'],
      returns: Joi.any(),
      refuses: ['NOT_FOUND', 'FORBIDDEN'],
      async run({ officialReceiving }, { params, query }) {
        const challenge = await verifyOfficial(officialReceiving, params.token, {
          mode: query['hub.mode'],
          verifyToken: query['hub.verify_token'],
          challenge: query['hub.challenge'],
        });
        return new Raw(challenge, 'text/plain; charset=utf-8');
      },
    }),
    row({
      id: 'receiveOfficialWebhook',
      method: 'POST',
      path: '/hooks/official/{token}',
      direct: true,
      summary: 'Receive an official webhook',
      about: 'The webhook is stored before the response is sent. Updates for numbers outside this app are dropped',
      audit: { none: 'signed by the platform; the message log shows the result' },
      access: 'none',
      params: atHook,
      bytes: { types: ['*'], maxBytes: MAX_BYTES },
      headers: ['x-hub-signature-256'],
      status: 200,
      returns: Joi.object({ ok: Joi.boolean().valid(true).required() }),
      refuses: ['NOT_FOUND', 'BAD_SIGNATURE', 'RATE_LIMITED', 'PAYLOAD_TOO_LARGE', 'INVALID_JSON', 'OVERLOADED'],
      async run({ officialReceiving }, { params, body, header, address, now }: OpenCall<{ token: string }, unknown, Bytes>) {
        const signature = header('x-hub-signature-256');
        await receiveOfficial(officialReceiving, { token: params.token, raw: body.bytes, signature, address, now });
        return { ok: true as const };
      },
    }),
  ],
};
