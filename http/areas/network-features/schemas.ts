import Joi from 'joi';

export const personFields = {
  phone: Joi.string().allow(null).required().description('Digits; null if not known').example('6281234567890'),
  lid: Joi.string().allow(null).required().description('The hidden address; null if not known').example(null),
  username: Joi.string().allow(null).required().description('The username of the person, without `@`; null if not known').example(null),
  name: Joi.string()
    .allow(null, '')
    .required()
    .description("The contact's name, or else the name that the person shows on the network")
    .example('Budi'),
};

export const PersonSchema = Joi.object(personFields).meta({ title: 'Person' });
