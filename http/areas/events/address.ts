import Joi from 'joi';

export const Digits = Joi.string().allow(null).required().description('Digits; null if not known').example('6281234567890');
const Jid = Joi.string().required().example('6281234567890@s.whatsapp.net');

export const address = {
  chat_id: Jid,
  phone: Digits,
  lid: Joi.string().allow(null).required().description('The hidden address, if it was used').example(null),
};
