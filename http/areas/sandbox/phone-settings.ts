import Joi from 'joi';

export const Switch = Joi.boolean();
export const Phone = Joi.string()
  .pattern(/^\+?\d{5,15}$/)
  .required()
  .description('Digits with the country code')
  .example('6281234567890');

/** The settings of a simulated phone. */
export const changes = {
  online: Switch,
  reads: Switch,
  on_network: Switch,
  name: Joi.string().min(1).max(100).allow(null),
  about: Joi.string().max(139).allow('', null).description('The about text; null: hidden. Its devices read it when they log in'),
  lid: Switch.description('Writes from a hidden address (`…@lid`)'),
  tells_number: Switch.description(
    'False: recipients of messages from the hidden address do not learn the number until this is true again',
  ),
  told_number: Joi.string()
    .pattern(/^\+?\d{5,15}$/)
    .allow(null)
    .description('The number that the network names beside its hidden address, in place of its own: a contradiction; null: its own'),
  addable: Switch.description('False: it can only be invited to groups'),
  business: Switch.description('False: a plain account, not a business'),
  number_forms: Joi.array()
    .items(Phone.optional())
    .max(10)
    .description('Other digits by which it is dialled, such as a number with and without the digit that its country added'),
  username: Joi.string()
    .pattern(/^[A-Za-z0-9_.]{3,35}$/)
    .allow(null)
    .description('The name by which it is found, without `@`; a phone that had it loses it'),
  username_key: Joi.string()
    .pattern(/^\d{4}$/)
    .allow(null)
    .description('Four digits without which the name is not found'),
  saved_as: Joi.string()
    .min(1)
    .max(100)
    .allow(null)
    .description('The name of this person in the address books of linked phones; null: none'),
  passkey: Switch.description('Ask for a passkey, then for a comparison of a code, before linking a device'),
};
