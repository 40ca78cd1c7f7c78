import Joi from 'joi';
import { Ulid } from '../../core/schemas.ts';

export const OFFICIAL_EVENTS = {
  'session.health': {
    about: 'The health of an official number changed',
    data: Joi.object({
      quality: Joi.string().allow(null).required().example('green'),
      tier: Joi.number()
        .integer()
        .allow(null)
        .required()
        .description('Maximum number of new people to contact within 24 hours; null if there is no limit')
        .example(250),
      can_send: Joi.boolean().required(),
    }),
  },
  'template.updated': {
    about: 'An official template was approved, rejected, paused, moved to another category or removed, or its quality changed',
    data: Joi.object({
      ...{ template_id: Ulid.required(), reason: Joi.string().allow(null).required() },
      ...{ status: Joi.string().required().example('approved'), category: Joi.string().required().example('utility') },
    }),
  },
} as const;
