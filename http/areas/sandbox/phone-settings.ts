import Joi from 'joi';

export const Switch = Joi.boolean();
export const Phone = Joi.string()
  .pattern(/^\+?\d{5,15}$/)
  .required()
  .description('Digits with the country code')
  .example('6281234567890');

export const changes = {
  online: Switch,
  reads: Switch,
  on_network: Switch,
  name: Joi.string().min(1).max(100).allow(null),
  about: Joi.string()
    .max(139)
    .allow('', null)
    .description('The about text; null if hidden. Devices of the number read it when they log in'),
  lid: Switch.description('Writes from a hidden address (`…@lid`)'),
  tells_number: Switch.description(
    'False: recipients of messages from the hidden address do not learn the number until this is true again',
  ),
  told_number: Joi.string()
    .pattern(/^\+?\d{5,15}$/)
    .allow(null)
    .description('A wrong number that the network reports for the hidden address of this phone; null for its own number'),
  addable: Switch.description('False: the number can only be invited to groups, not added'),
  business: Switch.description('False: a plain account, not a business'),
  number_forms: Joi.array()
    .items(Phone.optional())
    .max(10)
    .description('Other digits that reach this number, such as a number with and without the digit that its country added'),
  username: Joi.string()
    .pattern(/^[A-Za-z0-9_.]{3,35}$/)
    .allow(null)
    .description('The username, without `@`. A phone that had this username loses it'),
  username_key: Joi.string()
    .pattern(/^\d{4}$/)
    .allow(null)
    .description('The four digits that protect the username'),
  saved_as: Joi.string()
    .min(1)
    .max(100)
    .allow(null)
    .description('The name of this person in the address books of linked phones; null if there is none'),
  passkey: Switch.description('Ask for a passkey and then for a code comparison before linking a device'),
};
