import Joi from 'joi';
import { LABEL_COLORS } from '../../../actors/network/labels.ts';
import { Line } from '../network-features/texts.ts';

const Name = Line.trim().min(1).max(100).example('New customer');
const Color = Joi.number()
  .integer()
  .min(0)
  .max(LABEL_COLORS - 1)
  .description('Index of a color in the palette of the network')
  .example(3);

export const newLabel = Joi.object<{ name: string; color: number }>({ name: Name.required(), color: Color.default(0) });
export const labelChanges = Joi.object<{ name?: string; color?: number }>({ name: Name, color: Color });

export const LabelSchema = Joi.object({
  id: Joi.string().required().example('3'),
  name: Joi.string().allow('').required().example('New customer'),
  color: Joi.number().integer().required().example(3),
}).meta({ title: 'ChatLabel' });

export const LabelledChatSchema = Joi.object({
  chat_id: Joi.string().required().example('6281234567890@s.whatsapp.net'),
  phone: Joi.string().allow(null).required().description('Digits; null for a group, or if not known').example('6281234567890'),
  lid: Joi.string().allow(null).required().description('The hidden address; null if not known').example(null),
}).meta({ title: 'LabelledChat' });
