import Joi from 'joi';
import { Timestamp } from '../../core/schemas.ts';
import { PersonSchema } from '../network-features/schemas.ts';

export const ReceiptSchema = Joi.object({
  person: PersonSchema.required(),
  delivered_at: Timestamp.allow(null).required(),
  read_at: Timestamp.allow(null).required(),
  played_at: Timestamp.allow(null).required().description('Only for voice messages and videos'),
}).meta({ title: 'Receipt' });
