import Joi from 'joi';

/** A person on the network, in the same shape everywhere. */
export const personFields = {
  phone: Joi.string().allow(null).required().description('Digits; null if not known').example('6281234567890'),
  lid: Joi.string().allow(null).required().description('The hidden address; null if not known').example(null),
  username: Joi.string().allow(null).required().description('Their name on the network, without `@`; null if not known').example(null),
  name: Joi.string().allow(null, '').required().description("The contact's name here, else the name that the person shows").example('Budi'),
};

export const PersonSchema = Joi.object(personFields).meta({ title: 'Person' });
