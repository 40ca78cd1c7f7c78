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
      '`failed`: logged out or banned; `client_outdated`: the network refuses the client build of the gateway; `banned_temporarily`: banned for a while; ' +
        '`network_refused`: another refused login; `offline`: not connected; `restricted`: first contacts are limited; `delivery`: the delivery rate fell ' +
        'compared with the last week; `failing`: many messages fail; `opt_outs`: opt-outs after campaigns; `blocks`: people blocked after campaigns; ' +
        '`first_contacts`: campaign messages to strangers; `lookups`: campaign messages to unknown numbers; `reconnects`: reconnects in 24 hours; ' +
        '`silence`: no incoming messages',
    ),
  color: HealthColorSchema.required(),
  figure: Joi.number()
    .required()
    .description(
      'Depends on `what`. `restricted`: number of first contacts used; `delivery`, `failing`, `first_contacts`, `lookups`: a share from 0 to 1; ' +
        '`opt_outs`, `blocks`: number per 1,000 messages; `reconnects`: a count; `silence`: hours; all others: minutes',
    ),
  since: Timestamp.required(),
}).meta({ title: 'HealthReason' });

export const HealthSignSchema = Joi.object<HealthSign>({
  device: Ulid.required(),
  color: HealthColorSchema.required(),
  reasons: Joi.array().items(HealthReasonSchema).required().description('Reasons, worst first. A reason is kept for at least an hour'),
}).meta({ title: 'HealthSign' });
