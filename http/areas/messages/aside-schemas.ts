import Joi from 'joi';
import { SENDER_KINDS, type SentBy } from '../../../actors/services/messaging/sent-by.ts';
import { WAITING_REASONS, type Waiting } from '../../../actors/services/messaging/waiting.ts';
import type { Lang } from '../../core/row.ts';

/** Data about a message beyond its row, in the reader's language. */
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
      '`person`: the customer; `phone`: written on the linked phone; `auto_reply`: also welcome, away, confirmations and hand-offs; `scheduled`: also recurring',
    ),
  id: Joi.string()
    .allow(null)
    .required()
    .description('Of the agent, key, campaign, scheduled message or store; of a person the address')
    .example(null),
  name: Joi.string().allow(null, '').required().example('Sari'),
})
  .meta({ title: 'SentBy' })
  .description('Who or what wrote it; absent: not known, as of our own reactions');

export const WaitingSchema = Joi.object({
  reason: Joi.string()
    .valid(...WAITING_REASONS)
    .required()
    .description(
      '`suspended`: the plan has no room for the device. `login`: the device is not linked. `offline`: it is not connected. `backoff`: the network ' +
        'refused the message for the moment, or slowed the device. `restricted`: the network limits first contacts. `warm_up`: a young device has ' +
        'sent what it may today. `first_contact`: new people come last and slowly. `campaign_behind_replies`: replies go first. `pace`: the pause ' +
        'between messages. Of an official number: `tier`: the limit of new people a day. `pair`: the limit of messages to one person. ' +
        '`spam_limit`: too many reports of spam. `held_by_network`: the platform judges the template before it delivers',
    ),
  until: Joi.number().integer().allow(null).required().description('When that ends, as far as it is known'),
})
  .meta({ title: 'MessageWaiting' })
  .description('Of a queued message, why it does not leave yet; absent where nothing holds it');

/** The fields of an entry with its writer, why it waits and why it failed. */
export interface Explained {
  readonly sent_by?: SentBy;
  readonly waiting?: Waiting;
  /** Failed messages only: the code, and its meaning for the reader. */
  readonly error?: string | null;
  readonly reason?: string;
}

export const EXPLAINED = {
  sent_by: SentBySchema,
  waiting: WaitingSchema,
  error: Joi.string().allow(null).description('The code of a failure').example('not_on_network'),
  reason: Joi.string().description('Of a failed one: why, as a sentence in your language').example('This number is not on the network.'),
};
