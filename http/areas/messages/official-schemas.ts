import Joi from 'joi';
import { INTERACTIVE_TYPES } from '../../../actors/domain/official-interactive.ts';
import { MAX_CAPTION_LENGTH } from '../../../actors/domain/text-tokens.ts';
import type { MessageCost, MessageRow } from '../../../store/messaging/message-row.ts';

export const VariablesSchema = Joi.object()
  .pattern(/^[A-Za-z0-9_.]{1,80}$/, Joi.string().min(1).max(MAX_CAPTION_LENGTH))
  .max(50)
  .description(
    'Values for the variables of an official template (`header.1`, `button.0` for variables in these parts). Values may contain tokens',
  );

const Line = Joi.object({ text: Joi.string().min(1).max(60).required() });

export const InteractiveSchema = Joi.object({
  type: Joi.string()
    .valid(...INTERACTIVE_TYPES)
    .required()
    .example('button'),
  header: Line.keys({ type: Joi.string().valid('text').required() }).description(
    'To use a file, set `type` and `media_r2_key` of the message',
  ),
  body: Joi.object({ text: Joi.string().min(1).max(4_096).required() }),
  footer: Line,
  action: Joi.object().unknown().required().description('An object as the vendor defines it for this type'),
})
  .meta({ title: 'Interactive' })
  .description(
    'Interactive content instead of `body`, only for official devices: buttons, a list, a link, a location request, a flow or products',
  );

export interface Costly {
  readonly cost?: Omit<MessageCost, 'country'>;
}

export const costOf = ({ cost }: MessageRow): Costly => {
  if (!cost) return {};
  const { country: _country, ...shown } = cost;
  return { cost: shown };
};

export const CostSchema = Joi.object({
  category: Joi.string().required().description("The vendor's category in lower case").example('marketing'),
  type: Joi.string().required().description('`regular`: billed').example('regular'),
  billable: Joi.boolean().required(),
  amount: Joi.number().min(0).allow(null).required().description('null if the operator has imported no price for it').example(0.0411),
  currency: Joi.string().allow(null).required().example('USD'),
})
  .meta({ title: 'MessageCost' })
  .description('Cost of a message of an official number as reported by the platform, charged on delivery; absent if not reported');
