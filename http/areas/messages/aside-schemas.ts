import Joi from 'joi';
import { SENDER_KINDS, type SentBy } from '../../../actors/services/messaging/sent-by.ts';
import { WAITING_REASONS, type Waiting } from '../../../actors/services/messaging/waiting.ts';
import type { Lang } from '../../core/row.ts';

export interface Aside {
  readonly sentBy: SentBy | null;
  readonly waiting: Waiting | null;
  readonly lang: Lang;
}

const SentBySchema = Joi.object<SentBy>({
  kind: Joi.string()
    .valid(...SENDER_KINDS)
    .required()
    .description(
      '`person`: the customer; `phone`: written on the linked phone; `auto_reply`: includes welcome and away texts, confirmations and hand-offs; `scheduled`: includes recurring messages',
    ),
  id: Joi.string()
    .allow(null)
    .required()
    .description('The id of the agent, key, campaign, scheduled message or store; for a person, the address')
    .example(null),
  name: Joi.string().allow(null, '').required().example('Sari'),
})
  .meta({ title: 'SentBy' })
  .description('Who or what wrote the message; absent if not known, for example for reactions from this device');

export const WaitingSchema = Joi.object({
  reason: Joi.string()
    .valid(...WAITING_REASONS)
    .required()
    .description(
      '`suspended`: the plan allows fewer devices. `login`: the device is not linked. `offline`: it is not connected. `backoff`: the network ' +
        'refused the message for now, or slowed the device down. `restricted`: the network limits first contacts. `warm_up`: a new device has ' +
        'reached its limit for today. `first_contact`: messages to new people are sent last and slowly. `campaign_behind_replies`: replies go first. `pace`: the pause ' +
        'between messages. For an official number: `tier`: the daily limit of new people. `pair_limit`: the limit of messages to one person. ' +
        '`spam_limit`: too many spam reports. `held_by_network`: the platform checks the template before delivery. ' +
        '`outcome_unknown`: the platform has not confirmed the message yet',
    ),
  until: Joi.number().integer().allow(null).required().description('When the wait ends, if known'),
})
  .meta({ title: 'MessageWaiting' })
  .description('Why a queued message is not sent yet; absent if nothing delays it');

export interface Explained {
  readonly sent_by?: SentBy;
  readonly waiting?: Waiting;
  readonly error?: string | null;
  readonly reason?: string;
}

export const EXPLAINED = {
  sent_by: SentBySchema,
  waiting: WaitingSchema,
  error: Joi.string().allow(null).description('Error code of a failed message').example('not_on_network'),
  reason: Joi.string().description('Why the message failed, as a sentence in your language').example('This number is not on the network.'),
};
