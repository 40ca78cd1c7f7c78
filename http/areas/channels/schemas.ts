import Joi from 'joi';
import type { ShownChannel } from '../../../actors/services/channels/shown.ts';
import { Timestamp, Ulid } from '../../core/schemas.ts';
import { personFields } from '../network-features/schemas.ts';
import { Line, Lines } from '../network-features/texts.ts';
import { inSession } from '../params.ts';

const ChannelId = Joi.string().example('120363300000000001@newsletter');

const Role = Joi.string()
  .valid('owner', 'admin', 'follower')
  .allow(null)
  .required()
  .description('The role of this account; null if it does not follow the channel')
  .example('owner');

export const inChannel = inSession.keys({
  channelId: ChannelId.pattern(/^\d[\d-]*@newsletter$/)
    .required()
    .description("The channel's address"),
});

const Name = Line.min(1).max(100).example('Toko Acme news');
const Description = Lines.max(2_048).allow(null, '').example('Offers and opening hours');
const Picture = Joi.string().max(256).description('The media key of a picture of at most 10 MB, scaled to 640 × 640');

export interface ChannelBody {
  readonly name: string;
  readonly description?: string | null;
  readonly picture?: string;
}

export const CreateChannel = Joi.object<ChannelBody>({ name: Name.required(), description: Description, picture: Picture });
export const UpdateChannel = Joi.object<Partial<ChannelBody>>({ name: Name, description: Description, picture: Picture })
  .min(1)
  .example({ name: 'Toko Acme news', description: 'Offers and opening hours' });

export const ChannelSchema = Joi.object<ShownChannel, true>({
  id: ChannelId.required(),
  name: Joi.string().allow('').required().example('Toko Acme news'),
  description: Joi.string().allow(null, '').required().example('Offers and opening hours'),
  role: Role,
  muted: Joi.boolean().required().example(false),
  followers: Joi.number().integer().min(0).required().example(120),
  code: Joi.string().allow(null).required().description('The code of the invite link').example('0029VaAcmeNews'),
}).meta({ title: 'Channel' });

const Reactions = Joi.object()
  .pattern(Joi.string(), Joi.number().integer())
  .required()
  .description('Number of reactions by emoji')
  .example({ '👍': 3 });

const Views = Joi.number().integer().allow(null).required().description('null if the network does not report the number').example(41);

export const PostSchema = Joi.object({
  message_id: Ulid.allow(null).required().description('The id of the message in the log; null if it was not sent from here'),
  server_id: Joi.string().required().description("The network's number of the post in the channel").example('104'),
  type: Joi.string().allow(null).required().description('null if the post is deleted or of an unknown kind').example('text'),
  body: Joi.string().allow(null, '').required().description('The text or the caption').example('Open until ten tonight'),
  views: Views,
  reactions: Reactions,
  created_at: Timestamp.required(),
}).meta({ title: 'ChannelPost' });

export const FollowerSchema = Joi.object({ ...personFields, role: Role }).meta({ title: 'ChannelFollower' });

const PersonSchema = Joi.object(personFields).meta({ title: 'Person' });

const common = {
  channel_id: ChannelId.required(),
  by: PersonSchema.allow(null).required().description('The person who did it, if the network reports it'),
  at: Timestamp.required(),
};

/** Each event is sent only to receivers that subscribe to it by name. */
export const CHANNEL_EVENTS = {
  'channel.joined': {
    about: 'A device now owns or follows a channel',
    data: Joi.object({ ...common, role: Role, channel: ChannelSchema.required() }),
  },
  'channel.left': {
    about: 'A device stopped following a channel, or the channel was deleted',
    data: Joi.object({ ...common, reason: Joi.string().allow(null).required().example(null) }),
  },
  'channel.updated': {
    about: 'A channel, or the role of this account in it, changed',
    data: Joi.object({
      ...common,
      changed: Joi.object({
        name: Joi.string().allow(''),
        description: Joi.string().allow(null, ''),
        muted: Joi.boolean(),
        role: Role.optional(),
        state: Joi.string(),
      })
        .required()
        .description('New values only')
        .example({ name: 'Toko Acme offers' }),
    }),
  },
  'channel.stats': {
    about: 'Current views and reactions of one of your posts. The network reports them only while they are requested',
    data: Joi.object({ ...common, message_id: Ulid.required(), views: Views, reactions: Reactions }),
  },
  'status.failed': {
    about: 'A status could not be published',
    data: Joi.object({
      status_id: Ulid.required(),
      error: Joi.string().allow(null).required().example('refused_479'),
      at: Timestamp.required(),
    }),
  },
} as const;
