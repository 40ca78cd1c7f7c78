import Joi from 'joi';
import { address } from './address.ts';

export const CHAT_EVENTS = {
  'chat.assigned': {
    about: 'A chat was assigned to an agent, or unassigned',
    data: Joi.object({
      ...address,
      agent_id: Joi.string().allow(null).required(),
      previous_agent_id: Joi.string().allow(null).required(),
      assigned_by: Joi.string().allow(null).required(),
    }),
  },
  'chat.snooze_ended': {
    about: 'A snoozed chat is open again, because the snooze ended or the customer wrote',
    data: Joi.object(address),
  },
  'history.loaded': {
    about:
      'Requested older messages of a chat are now in the log. With `error`: the phone did not answer within a minute. If it answers ' +
      'later, another event follows',
    data: Joi.object({
      ...address,
      count: Joi.number().integer().min(0).required().description('Number of older messages that the phone sent').example(50),
      more: Joi.boolean()
        .allow(null)
        .required()
        .description('Whether the phone has even older messages; null if it did not say')
        .example(true),
      error: Joi.string().valid('phone_offline').allow(null).required().example(null),
    }),
  },
} as const;
