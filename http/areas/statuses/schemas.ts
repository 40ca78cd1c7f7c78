import Joi from 'joi';
import type { Person } from '../../../actors/network/person.ts';
import { MAX_AUDIENCE } from '../../../actors/services/statuses/statuses.ts';
import type { MessageRow } from '../../../store/messaging/messages.ts';
import type { StatusView } from '../../../store/messaging/status-views.ts';
import { Timestamp, Ulid } from '../../core/schemas.ts';
import { personFields } from '../network-features/schemas.ts';
import { Lines } from '../network-features/texts.ts';

const STATUS_TYPES = ['text', 'image', 'video'] as const;

export interface StatusBody {
  readonly type: (typeof STATUS_TYPES)[number];
  readonly body?: string;
  readonly media_r2_key?: string;
  readonly background_color?: string;
  readonly recipients?: readonly string[];
}

export const StatusBodySchema = Joi.object<StatusBody>({
  type: Joi.string()
    .valid(...STATUS_TYPES)
    .required(),
  body: Lines.min(1).max(700).description('The text, or the caption of a file').example('Fresh bread from six'),
  media_r2_key: Joi.string().max(256).description('For an image or a video'),
  background_color: Joi.string()
    .pattern(/^#[\da-fA-F]{6}$/)
    .description('Background color of a text')
    .example('#0B7261'),
  recipients: Joi.array()
    .items(Joi.string().max(64))
    .min(1)
    .max(MAX_AUDIENCE)
    .description(
      `Phone numbers of the people who can see it; default: everyone this device has a chat with, the latest ${MAX_AUDIENCE}. People who opted out are excluded`,
    )
    .example(['+6281234567890']),
});

export const StatusSchema = Joi.object({
  id: Ulid.required(),
  type: Joi.string()
    .valid(...STATUS_TYPES)
    .required(),
  body: Joi.string().allow(null, '').required().description('The text or the caption').example('Fresh bread from six'),
  media_r2_key: Joi.string().allow(null).required().example(null),
  status: Joi.string().valid('queued', 'sent', 'failed').required(),
  error: Joi.string().allow(null).required().example(null),
  audience: Joi.number().integer().required().description('Number of people in the audience').example(25),
  view_count: Joi.number().integer().required().description('Number of people who viewed it').example(1),
  views: Joi.array()
    .items(Joi.object({ ...personFields, at: Timestamp.required() }).meta({ title: 'StatusView' }))
    .required()
    .description('Viewers who share that they viewed it, latest first'),
  created_at: Timestamp.required(),
}).meta({ title: 'Status' });

export function toStatus(row: MessageRow, views: readonly (Person & Pick<StatusView, 'at'>)[], view_count: number) {
  const { _id: id, message_type: type, body, media_r2_key, error, parts, created_at } = row;
  return {
    ...{ id, type, body, media_r2_key, status: shownStatus(row), error },
    audience: parts.story?.audience.length ?? 0,
    view_count,
    views: views.map(({ phone, lid, username, name, at }) => ({ phone, lid, username, name, at })),
    created_at,
  };
}

function shownStatus({ status }: MessageRow): 'queued' | 'sent' | 'failed' {
  if (status === 'queued' || status === 'sending') return 'queued';
  return status === 'failed' ? 'failed' : 'sent';
}
