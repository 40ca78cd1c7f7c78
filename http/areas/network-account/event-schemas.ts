import Joi from 'joi';
import { Timestamp } from '../../core/schemas.ts';
import { LabelledChatSchema, LabelSchema } from '../chat-labels/schemas.ts';
import { PersonSchema } from '../network-features/schemas.ts';
import { privacyFields } from './schemas.ts';

const at = Timestamp.required();
const LabelId = Joi.string().required().example('3');
const marked = { label_id: LabelId, chat: LabelledChatSchema.required(), at };

const Changed = Joi.object({
  name: Joi.string().allow(null, ''),
  about: Joi.string().allow(null, ''),
  picture: Joi.boolean().description('Whether the account now has a picture'),
  privacy: Joi.object(privacyFields),
  business_profile: Joi.valid(true).description('True if the business profile changed'),
})
  .required()
  .description('New values only')
  .example({ about: 'Open until six' });

const people = Joi.array().items(PersonSchema).required();

export const ACCOUNT_EVENTS = {
  'account.updated': { about: 'The account changed, here or on its phone', data: Joi.object({ changed: Changed, at }) },
  'blocklist.changed': {
    about: 'Someone was blocked or unblocked, here or on the phone. If no person is given, fetch the list again',
    data: Joi.object({ blocked: people, unblocked: people, at }),
  },
  'label.updated': { about: 'A label was created, or its name or color changed', data: Joi.object({ label: LabelSchema.required(), at }) },
  'label.deleted': { about: 'A label was deleted', data: Joi.object({ label_id: LabelId, at }) },
  'label.assigned': { about: 'A chat was labelled', data: Joi.object(marked) },
  'label.unassigned': { about: 'A label was removed from a chat', data: Joi.object(marked) },
} as const;
