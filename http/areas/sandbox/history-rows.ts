import Joi from 'joi';
import { MAX_TEXT_LENGTH } from '../../../actors/domain/text-tokens.ts';
import type { SandboxVerbs } from '../../../actors/network/sandbox/api.ts';
import type { RememberedMessage } from '../../../actors/network/sandbox/phone-history.ts';
import { rowsFor } from '../../core/row.ts';
import { Timestamp } from '../../core/schemas.ts';
import { Phone } from './phone-settings.ts';

/** Data that only the account's phone has, such as messages from before its devices were linked. */

const row = rowsFor<SandboxVerbs>();

export const historyRows = [
  row({
    id: 'rememberOnSandboxPhone',
    method: 'POST',
    path: '/sandbox/phones/{phone}/history',
    summary: 'Add older messages',
    about:
      'Add older messages to a phone before or after it is linked. Linking delivers them if the device requests history; "load older" delivers messages before the oldest known one',
    example: { messages: [{ chat: '6281211110001', from_me: false, body: 'Do you deliver?', at: 1_767_225_600_000 }] },
    access: 'none',
    loopback: true,
    audit: { none: 'the simulated phone network is not part of the gateway' },
    params: Joi.object<{ phone: string }, true>({ phone: Phone }),
    body: Joi.object<{ messages: readonly RememberedMessage[] }>({
      messages: Joi.array()
        .items(
          Joi.object({
            chat: Joi.string().max(64).required().description('Digits, or the address of a group'),
            from_me: Joi.boolean().required(),
            body: Joi.string().min(1).max(MAX_TEXT_LENGTH).required(),
            at: Timestamp.required(),
          }).meta({ title: 'SandboxRememberedMessage' }),
        )
        .min(1)
        .max(1_000)
        .required(),
    }),
    status: 200,
    returns: Joi.object({ ok: Joi.boolean().valid(true).required() }),
    refuses: ['NOT_FOUND', 'FORBIDDEN'],
    run: (verbs, { params, body }) => verbs.remember(params.phone, body),
  }),
];
