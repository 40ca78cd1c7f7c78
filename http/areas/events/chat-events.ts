import Joi from 'joi';
import { address } from './address.ts';

/** Events about a chat as a whole. */
export const CHAT_EVENTS = {
  'chat.assigned': {
    about: 'A chat was assigned to an agent, or to nobody',
    data: Joi.object({
      ...address,
      agent_id: Joi.string().allow(null).required(),
      previous_agent_id: Joi.string().allow(null).required(),
      assigned_by: Joi.string().allow(null).required(),
    }),
  },
  'chat.snooze_ended': {
    about: 'A chat that was set aside is open again: its time came, or its person wrote',
    data: Joi.object(address),
  },
  'history.loaded': {
    about:
      'Older messages of a chat, which its phone was asked for, are in the log. With `error`: the phone did not answer within a minute; where it answers ' +
      'later, that is told as well',
    data: Joi.object({
      ...address,
      count: Joi.number().integer().min(0).required().description('Older messages in the answer of the phone').example(50),
      more: Joi.boolean().allow(null).required().description('The phone has older ones still; null: it did not say').example(true),
      error: Joi.string().valid('phone_offline').allow(null).required().example(null),
    }),
  },
} as const;
