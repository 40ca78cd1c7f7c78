import Joi from 'joi';
import type { HealthSign } from '../../../store/accounts/tenant-health.ts';
import { Timestamp, Ulid } from '../../core/schemas.ts';

export const HealthColorSchema = Joi.string().valid('green', 'yellow', 'red');

export const HealthReasonSchema = Joi.object({
  what: Joi.string()
    .valid(
      ...['failed', 'client_outdated', 'banned_temporarily', 'network_refused', 'offline', 'restricted'],
      ...['delivery', 'failing', 'opt_outs', 'blocks', 'first_contacts', 'lookups', 'reconnects', 'silence'],
    )
    .required()
    .description(
      'logged out or banned · the network refuses the client build of the gateway · banned for a while · another refused login · offline · first contacts are limited · the delivery rate fell compared with the last week · many messages fail · opt-outs of campaigns · people blocked after campaigns · campaign messages to strangers · campaign messages to unknown numbers · reconnects in 24 h · no incoming messages',
    ),
  color: HealthColorSchema.required(),
  figure: Joi.number().required().description('Minutes; first contacts used; a share 0–1; of 1,000 messages; a count; hours'),
  since: Timestamp.required(),
}).meta({ title: 'HealthReason' });

export const HealthSignSchema = Joi.object<HealthSign>({
  device: Ulid.required(),
  color: HealthColorSchema.required(),
  reasons: Joi.array().items(HealthReasonSchema).required().description('Reasons, worst first. A reason stays for at least an hour'),
}).meta({ title: 'HealthSign' });
