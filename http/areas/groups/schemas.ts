import Joi from 'joi';
import { Ulid } from '../../core/schemas.ts';
import { personFields } from '../network-features/schemas.ts';
import { Line, Lines } from '../network-features/texts.ts';

export const EPHEMERAL = [0, 86_400, 604_800, 7_776_000] as const;

export const GroupId = Joi.string().example('120363025246125888@g.us');
export const Subject = Line.min(1).max(100).example('Wholesale customers');
export const Description = Lines.max(2_048).allow('', null).example('Prices and stock');
export const Named = Joi.array().items(Joi.string().min(1).max(64).example('+6281234567890')).max(1_023);

export const ResultsSchema = Joi.array()
  .items(
    Joi.object({
      phone: Joi.string().allow(null).required().example('6281234567890'),
      lid: Joi.string().allow(null).required(),
      status: Joi.string().valid('ok', 'invited', 'failed').required(),
      code: Joi.number()
        .integer()
        .allow(null)
        .required()
        .description("The network's error number; null if the change was made")
        .example(null),
      message_id: Ulid.description('The id of the invitation message'),
    }).meta({ title: 'MemberResult' }),
  )
  .required();

const Address = Joi.string().example('6281234567890@s.whatsapp.net');

export const MemberSchema = Joi.object({
  id: Address.required(),
  ...personFields,
  admin: Joi.string().valid('admin', 'superadmin').allow(null).required(),
}).meta({ title: 'GroupMember' });

export const GroupSchema = Joi.object({
  id: GroupId.required(),
  subject: Joi.string().allow('').required().example('Wholesale customers'),
  owner: Address.allow(null).required(),
  creation: Joi.number().integer().allow(null).required().description('Epoch seconds, as the network reports it').example(1_767_225_600),
  desc: Joi.string().allow(null, '').required(),
  size: Joi.number().integer().required().description('All members'),
  restrict: Joi.boolean().required().description('Only admins can change settings'),
  announce: Joi.boolean().required().description('Only admins can write'),
  ephemeralDuration: Joi.number().integer().required().description('Seconds after which messages disappear; 0: never').example(0),
  join_approval: Joi.boolean().required(),
  member_add_mode: Joi.string().valid('admins', 'all').required(),
  community: GroupId.allow(null).required().description('The community that the group belongs to'),
  is_community: Joi.boolean().required(),
  picture: Joi.string().allow(null).required().description('The media key of the picture, if it was set here'),
  participants: Joi.array().items(MemberSchema).required(),
}).meta({ title: 'WaGroupMetadata' });
