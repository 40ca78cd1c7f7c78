import Joi from 'joi';
import { Timestamp } from '../../core/schemas.ts';
import { PersonSchema } from '../network-features/schemas.ts';
import { EPHEMERAL, GroupId, GroupSchema } from './schemas.ts';

const common = {
  group_id: GroupId.required(),
  by: PersonSchema.allow(null).required().description('The person who did it, if the network reports it'),
  at: Timestamp.required(),
};

const Reason = Joi.string().allow(null).required().description('The reason, as reported by the network').example(null);

export const SETTINGS = {
  announce: Joi.boolean(),
  restrict: Joi.boolean(),
  join_approval: Joi.boolean(),
  member_add_mode: Joi.string().valid('admins', 'all'),
  member_link_mode: Joi.string().valid('admins', 'all').description('Who may see and share the invitation link'),
  member_share_history_mode: Joi.string().valid('admins', 'all').description('Who may send the history to new members'),
  admin_reports: Joi.boolean().description('Members can report messages to the admins'),
  no_frequently_forwarded: Joi.boolean().description('Frequently forwarded messages are refused'),
  locked_until: Timestamp.allow(null).description('The network lets no one join until this time; null if people can be added again'),
};

const Changed = Joi.object({
  ...SETTINGS,
  subject: Joi.string().allow(''),
  description: Joi.string().allow(null, ''),
  ephemeral: Joi.number().valid(...EPHEMERAL),
  invite_revoked: Joi.valid(true),
  picture: Joi.string().allow(null).description("The network's id of the new picture; null if the picture was removed"),
  suspended: Joi.boolean(),
  community: GroupId.allow(null),
})
  .required()
  .description('New values only')
  .example({ subject: 'Wholesale customers' });

export const GROUP_EVENTS = {
  'group.joined': { about: 'A device joined a group', data: Joi.object({ ...common, reason: Reason, group: GroupSchema.required() }) },
  'group.left': { about: 'A device is no longer in a group', data: Joi.object({ ...common, reason: Reason }) },
  'group.updated': { about: 'The settings of a group changed', data: Joi.object({ ...common, changed: Changed }) },
  'group.participants': {
    about: 'Someone joined, left, became an admin, or is no longer one',
    data: Joi.object({
      ...common,
      action: Joi.string().valid('add', 'remove', 'promote', 'demote', 'modify').required(),
      participants: Joi.array().items(PersonSchema).required(),
      reason: Reason,
    }),
  },
  'group.join_request': {
    about: 'Someone asked to join a group, or a request was answered',
    data: Joi.object({
      ...common,
      action: Joi.string().valid('created', 'revoked', 'approved', 'rejected').required(),
      person: PersonSchema.required(),
      method: Joi.string().allow(null).required().example('invite_link'),
    }),
  },
} as const;
